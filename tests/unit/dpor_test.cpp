// Reductions: every trace of well-known and of random programs, no trace twice; and mistakes that must show.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "analysis/fingerprint.hpp"
#include "brute_force.hpp"
#include "search/strategies/dpor.hpp"
#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/source_dpor.hpp"
#include "search_helpers.hpp"
#include "trace_rows.hpp"

namespace lockstep::fake {
namespace {

class Traces final : public Analysis {
 public:
  const char* name() const override { return "traces"; }
  const char* summary() const override { return "collects traces"; }
  std::optional<Finding> check(TraceView trace) override {
    if (trace.outcome() == Outcome::SleepBlocked) ++blocked;
    else seen.insert(fingerprint_of(trace).low);
    return std::nullopt;
  }
  std::multiset<uint64_t> seen;
  uint64_t blocked = 0;
  std::set<uint64_t> distinct() const { return {seen.begin(), seen.end()}; }
};

struct Reduced {
  Exploration result;
  Traces traces;
};

Reduced reduce(Strategy& strategy, const Program& p, FakeOptions options = {}, Budget budget = {}) {
  Reduced r;
  FakeExecutor executor(p, std::move(options));
  Analysis* analyses[] = {&r.traces};
  r.result = Explorer(strategy, executor, analyses, budget, false, {}).run();
  return r;
}

class Zoo : public testing::TestWithParam<TraceRow> {};

TEST_P(Zoo, OptimalRunsEveryTraceExactlyOnce) {
  const auto strategy = make_optimal_dpor({});
  const Reduced r = reduce(*strategy, GetParam().program);
  EXPECT_EQ(r.result.executions, GetParam().traces);
  EXPECT_EQ(r.result.traces, GetParam().traces);
  EXPECT_EQ(r.result.redundant, 0u);
  EXPECT_TRUE(r.result.complete) << r.result.stopped_by;
}

TEST_P(Zoo, SourceSetsRunEveryTraceOnceAndFewInVain) {
  const auto strategy = make_source_dpor({});
  const Reduced r = reduce(*strategy, GetParam().program);
  EXPECT_EQ(r.result.traces, GetParam().traces);
  EXPECT_EQ(r.result.redundant, GetParam().blocked_by_source_sets);
  EXPECT_EQ(r.traces.blocked, GetParam().blocked_by_source_sets);
  EXPECT_TRUE(r.result.complete) << r.result.stopped_by;
}

TEST_P(Zoo, ClassicDporRunsEveryTrace) {
  const auto strategy = make_dpor({});
  const Reduced r = reduce(*strategy, GetParam().program);
  EXPECT_EQ(r.result.traces, GetParam().traces);
  EXPECT_TRUE(r.result.complete) << r.result.stopped_by;
}

INSTANTIATE_TEST_SUITE_P(Dpor, Zoo, testing::ValuesIn(trace_rows()), [](const auto& info) {
  std::string name;
  for (const char c : std::string(info.param.name)) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + "_row" + std::to_string(info.index);
});

// LOCKSTEP_SOAK=n looks at n random programs instead of a few hundred.
uint64_t programs() {
  const char* soak = std::getenv("LOCKSTEP_SOAK");
  return soak ? std::strtoull(soak, nullptr, 10) : 350;
}

template <class Body>
void for_random_programs(Body body) {
  for (uint64_t seed = 0; seed < programs(); ++seed) {
    const Program p = random_program(seed);
    if (total(count_schedules(p)) > 3000) continue;
    const auto strategy = dfs();
    body(p, reduce(*strategy, p).traces.distinct());
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(DporDifferential, OptimalFindsTheTracesOfDfsOnce) {
  for_random_programs([](const Program& p, const std::set<uint64_t>& all) {
    const auto strategy = make_optimal_dpor({});
    const Reduced r = reduce(*strategy, p);
    ASSERT_EQ(r.traces.distinct(), all) << p.name;
    ASSERT_EQ(r.result.executions, all.size()) << p.name;
    ASSERT_TRUE(r.result.complete) << p.name << ": " << r.result.stopped_by;
  });
}

TEST(DporDifferential, SourceSetsFindTheTracesOfDfsOnce) {
  for_random_programs([](const Program& p, const std::set<uint64_t>& all) {
    const auto strategy = make_source_dpor({});
    const Reduced r = reduce(*strategy, p);
    ASSERT_EQ(r.traces.distinct(), all) << p.name;
    ASSERT_EQ(r.traces.seen.size(), all.size()) << p.name;
    ASSERT_TRUE(r.result.complete) << p.name << ": " << r.result.stopped_by;
  });
}

TEST(DporDifferential, ClassicFindsTheTracesOfDfs) {
  for_random_programs([](const Program& p, const std::set<uint64_t>& all) {
    const auto strategy = make_dpor({});
    const Reduced r = reduce(*strategy, p);
    ASSERT_EQ(r.traces.distinct(), all) << p.name;
    ASSERT_TRUE(r.result.complete) << p.name << ": " << r.result.stopped_by;
  });
}

}  // namespace
}  // namespace lockstep::fake
