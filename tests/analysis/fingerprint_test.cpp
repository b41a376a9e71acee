// Numbers of traces against the table, and the fingerprint against the definition of a trace.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "analysis/fingerprint.hpp"
#include "analysis/happens_before.hpp"
#include "analysis/path_fingerprint.hpp"
#include "brute_force.hpp"
#include "runtime/sched/step_counter.hpp"
#include "search_helpers.hpp"
#include "trace_rows.hpp"

namespace lockstep::fake {
namespace {

// What a trace is, by definition: per thread the sequence of operations, choices and clocks.
using ExactTrace = std::map<unsigned, std::vector<int64_t>>;

ExactTrace exact_trace(TraceView trace) {
  HappensBefore hb;
  ExactTrace exact;
  for (const Step& s : trace.steps()) {
    hb.push(s);
    auto& events = exact[index_of(s.thread)];
    events.insert(events.end(), {static_cast<int64_t>(s.kind), static_cast<int64_t>(s.object), s.flags & Step::kWrite,
                                 s.is_choice() ? s.taken() : 0});
    events.insert(events.end(), hb.clock(hb.size() - 1), hb.clock(hb.size() - 1) + hb.width());
  }
  return exact;
}

class TraceCollector final : public Analysis {
 public:
  const char* name() const override { return "traces"; }
  const char* summary() const override { return "collects traces"; }
  std::optional<Finding> check(TraceView trace) override {
    const Fingerprint f = fingerprint_of(trace);
    EXPECT_EQ(go_on(trace), f.low) << "another number where the order is known";
    expect_counted(trace, f.low);
    const ExactTrace exact = exact_trace(trace);
    const auto [known, fresh] = fingerprints.emplace(exact, f.low);
    EXPECT_EQ(known->second, f.low) << "equal traces, different fingerprints";
    if (fresh) {
      EXPECT_TRUE(low.insert(f.low).second && high.insert(f.high).second) << "a collision";
    }
    const uint32_t preemptions = count_preemptions(trace);
    const auto [cheapest, first] = cost.emplace(f.low, preemptions);
    if (!first) cheapest->second = std::min(cheapest->second, preemptions);
    return std::nullopt;
  }
  std::map<ExactTrace, uint64_t> fingerprints;
  std::set<uint64_t> low, high;
  std::map<uint64_t, uint32_t> cost;

 private:
  // As the runtime does of executions that are too long to keep.
  void expect_counted(TraceView trace, uint64_t fingerprint) {
    counter_.begin([](size_t bytes) { return std::calloc(1, bytes); });
    uint32_t contested = 0;
    for (const Step& step : trace.steps()) {
      counter_.add(step, step.operation(), trace.enabled(step), trace.timed(step));
      contested += !step.is_note() && !step.is_choice() && trace.enabled(step).size() > 1;
    }
    EXPECT_EQ(counter_.fingerprint(), fingerprint);
    EXPECT_EQ(counter_.preemptions(), count_preemptions(trace));
    EXPECT_EQ(counter_.contested(), contested);
  }

  // From half of what the last execution began with, if this one does, too.
  uint64_t go_on(TraceView trace) {
    uint32_t common = 0;
    if (!last_.empty()) common = first_difference(last_, trace).value_or(0) / 2;
    order_.truncate(common);
    fingerprint_.truncate(common);
    for (const Step& s : trace.steps().subspan(common)) {
      order_.push(s);
      if (!s.is_note()) fingerprint_.add(s, order_);
    }
    last_.assign(trace);
    return fingerprint_.value();
  }
  HappensBefore order_;
  PathFingerprint fingerprint_;
  Trace last_;
  rt::StepCounter counter_{};
};

constexpr uint64_t kTooMany = 6000;

class TraceCounts : public testing::TestWithParam<TraceRow> {};

TEST_P(TraceCounts, BruteForceAgrees) {
  const TraceRow& row = GetParam();
  if (const auto counts = count_schedules(row.program); total(counts) > kTooMany) GTEST_SKIP() << total(counts);
  const auto strategy = dfs();
  FakeExecutor executor(row.program);
  TraceCollector collector;
  Analysis* analyses[] = {&collector};
  const Exploration result = Explorer(*strategy, executor, analyses, {}, false, {}).run();
  EXPECT_EQ(result.traces, row.traces);
  EXPECT_EQ(result.traces, collector.fingerprints.size());
  EXPECT_EQ(result.redundant, result.executions - row.traces);
  for (uint32_t c = 0; c < 5; ++c)
    EXPECT_EQ(std::count_if(collector.cost.begin(), collector.cost.end(), [c](const auto& t) { return t.second <= c; }),
              static_cast<int64_t>(row.within[c]))
        << c << " preemptions";
}

INSTANTIATE_TEST_SUITE_P(Zoo, TraceCounts, testing::ValuesIn(trace_rows()), [](const auto& info) {
  std::string name;
  for (const char c : std::string(info.param.name)) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + "_row" + std::to_string(info.index);
});

TEST(TraceCounts, ManyRandomProgramsHaveNoCollision) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Program p = random_program(seed);
    if (total(count_schedules(p)) > 1000) continue;
    const auto strategy = dfs();
    FakeExecutor executor(p);
    TraceCollector collector;
    Analysis* analyses[] = {&collector};
    const Exploration result = Explorer(*strategy, executor, analyses, {}, false, {}).run();
    ASSERT_EQ(result.traces, collector.fingerprints.size()) << p.name;
  }
}

TEST(TraceCounts, CanBeSwitchedOff) {
  const auto strategy = dfs();
  const Program p = fetch_add(2, 2);
  EXPECT_EQ(explore(*strategy, p, {}, {.executions = {}, .time = {}, .count_traces = false}).result.traces,
            std::nullopt);
}

TEST(HappensBefore, ForgetsWhatIsTakenBack) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Program p = random_program(seed);
    const Trace trace = execute(p, {});
    const auto steps = trace.view().steps();
    HappensBefore once, often;
    for (const Step& s : steps) once.push(s);
    for (size_t keep = 0; keep <= steps.size(); ++keep) {
      often.truncate(static_cast<uint32_t>(keep));
      for (size_t i = keep; i < steps.size(); ++i) often.push(steps[i]);
      for (uint32_t i = 0; i < steps.size(); ++i)
        ASSERT_TRUE(std::equal(once.clock(i), once.clock(i) + once.width(), often.clock(i))) << p.name;
    }
  }
}

TEST(HappensBefore, HasNoLimitOnThreads) {
  Program p = fetch_add(200, 2);
  const Trace trace = execute(p, {});
  HappensBefore hb;
  for (const Step& s : trace.view().steps()) hb.push(s);
  EXPECT_GE(hb.width(), 201u);
  EXPECT_TRUE(hb.ordered(0, hb.size() - 1));
}

}  // namespace
}  // namespace lockstep::fake
