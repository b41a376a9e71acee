// Tracking a few variables: calls that have nothing to say are taken out of the program's code, and nobody can tell.
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/analysis.hpp"
#include "programs.hpp"
#include "search/exploration/explorer.hpp"
#include "search/strategies/strategy_registry.hpp"

namespace lockstep {
namespace {

struct Collect final : Analysis {
  const char* name() const override { return "collect"; }
  const char* summary() const override { return ""; }
  std::optional<Finding> check(TraceView trace) override {
    traces.emplace_back(trace);
    thinned += (trace.header().monitors & Monitors::kThinned) != 0;
    repeated += (trace.header().monitors & Monitors::kRepeated) != 0;
    return std::nullopt;
  }
  std::vector<Trace> traces;
  unsigned thinned = 0, repeated = 0;
};

Collect explore(const std::string& program, const std::string& strategy, Isolation isolation, bool detects = true) {
  TargetOptions options = options_for(program);
  options.detect_races = detects;
  options.isolation = isolation;
  Collect collect;
  auto target = start(options);
  StrategyOptions choice;
  choice.spec = strategy;
  if (strategy.starts_with("vb")) choice.preemptions = 2;
  choice.max_steps = 20'000;
  auto made = make_strategy(choice);
  if (!target || !made) {
    ADD_FAILURE() << program;
    return collect;
  }
  Analysis* analyses[] = {&collect};
  Budget budget;
  budget.executions = 60;
  Explorer(**made, *target, analyses, budget, true, {}).run();
  return collect;
}

// Does the processor tell us who touches a variable here? Some virtual machines and containers forbid it.
bool has_watchpoints() {
  static volatile uint64_t word = 0;
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_BREAKPOINT;
  attributes.sample_period = 1;
  attributes.bp_type = HW_BREAKPOINT_RW;
  attributes.bp_addr = reinterpret_cast<uint64_t>(&word);
  attributes.bp_len = HW_BREAKPOINT_LEN_8;
  attributes.exclude_kernel = attributes.exclude_hv = attributes.remove_on_exec = attributes.sigtrap = 1;
  attributes.disabled = 1;
  const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd >= 0) close(static_cast<int>(fd));
  return fd >= 0;
}

struct Row {
  const char* program;
  const char* strategy;
  bool thinned, repeated;  // are calls left out at all; has an access been missed, or something else become doubtful
  bool detects = true;     // races, in executions that track nothing
};
class Tracked : public testing::TestWithParam<Row> {};

TEST_P(Tracked, ExecutionsAreTheSameWithCallsLeftOut) {
  if (!has_watchpoints()) GTEST_SKIP() << "no hardware watchpoints";
  const Row& row = GetParam();
  const Collect whole = explore(row.program, row.strategy, Isolation::Fork, row.detects);
  const Collect thin = explore(row.program, row.strategy, Isolation::Reset, row.detects);
  EXPECT_EQ(whole.thinned + whole.repeated, 0u);
  EXPECT_EQ(thin.thinned > 0, row.thinned) << thin.thinned;
  EXPECT_EQ(thin.repeated > 0, row.repeated) << thin.repeated;
  ASSERT_EQ(thin.traces.size(), whole.traces.size());
  for (size_t i = 0; i < thin.traces.size(); ++i)
    ASSERT_TRUE(same(thin.traces[i], whole.traces[i])) << "execution " << i + 1;
}
// pctvb knows variables of the heap by the stack that allocated them, so it needs all calls.
INSTANTIATE_TEST_SUITE_P(
    Programs, Tracked,
    testing::Values(Row{"variables-gcc-O1 long 16000", "vb:survey=0", true, true},
                    Row{"variables-gcc-O1 long 10", "vb:survey=0", false, false},
                    Row{"variables-gcc-O1 late 60000", "vb:survey=0", true, true},
                    Row{"variables-gcc-O1 copied 40000", "vb:survey=0", true, true},
                    Row{"variables-gcc-O1 waiting 30000", "vb:survey=0", false, true},
                    Row{"variables-gcc-O1 long 16000", "pctvb:depth=2,variables=1,survey=0", false, true},
                    Row{"variables-gcc-O1 late 60000", "pctvb:depth=2,variables=1,survey=0", false, true},
                    Row{"variables-gcc-O1 long 16000", "random", false, false},
                    Row{"variables-gcc-O1 long 16000", "random", true, false, false}));

}  // namespace
}  // namespace lockstep
