// Best-first search over a partial order reduction: the traces are those of depth-first search whatever the rank.
#include <gtest/gtest.h>

#include "search/ranks/rank_registry.hpp"
#include "search/strategies/source_dpor.hpp"
#include "search/strategies/strategy_registry.hpp"
#include "trace_helpers.hpp"

namespace lockstep::fake {
namespace {

Result<std::unique_ptr<Search>> made(const std::string& spec, const std::string& rank, uint64_t seed = 0) {
  StrategyOptions options;
  options.spec = spec;
  options.rank = rank;
  options.seed = seed;
  return make_strategy(options);
}

std::unique_ptr<Search> reduced(const std::string& rank, uint64_t seed = 0) {
  auto strategy = made("best-first:expand=dpor", rank, seed);
  EXPECT_TRUE(strategy) << rank;
  return std::move(*strategy);
}

// Each alone, and some on top of others.
std::vector<std::string> rankings() {
  std::vector<std::string> all = {"mdpor,pb", "ss,mdpor", "view,rand", "fresh,pb"};
  for (const RankInfo& info : ranks()) all.emplace_back(info.name);
  return all;
}

class BestFirstZoo : public testing::TestWithParam<TraceRow> {};

TEST_P(BestFirstZoo, RunsEveryTraceOnceInAnyOrder) {
  for (const std::string& rank : rankings()) {
    const auto strategy = reduced(rank, 7);
    const Reduced r = reduce(*strategy, GetParam().program);
    EXPECT_EQ(r.result.traces, GetParam().traces) << rank;
    EXPECT_EQ(r.traces.executions, GetParam().traces) << rank;
    EXPECT_TRUE(r.result.complete()) << rank << ": " << int(r.result.ending);
    EXPECT_EQ(strategy->status().frontier_nodes, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(BestFirst, BestFirstZoo, testing::ValuesIn(trace_rows()), test_name);

// With several under way some traces are run twice, because nobody sleeps before what it does is known; none is lost.
TEST(BestFirstDporDifferential, FindsTheTracesOfDfsInAnyOrder) {
  const std::vector<std::string> all_ranks = rankings();
  uint64_t seed = 0;
  for_random_programs([&](const Program& p, const Traces& all) {
    for (const std::string& rank : {std::string("rand"), all_ranks[seed % all_ranks.size()]})
      for (const size_t window : {size_t{1}, 2 + seed % 7}) {
        const auto strategy = reduced(rank, ++seed);
        const Reduced r = reduce(*strategy, p, {.window = window});
        EXPECT_EQ(r.traces.distinct(), all.distinct()) << p.name << " by " << rank << ", " << window << " under way";
        ASSERT_TRUE(r.result.complete()) << p.name << ": " << int(r.result.ending);
      }
  });
}

// Figure 5 of GAMBIT: sleep sets save executions, never traces. Without them some traces are run several times.
TEST(BestFirstDporDifferential, FindsTheSameTracesWithAndWithoutSleepSets) {
  uint64_t with = 0, without = 0;
  for_random_programs([&](const Program& p, const Traces& all) {
    for (const char* spec : {"dpor:sleep=", "best-first:expand=dpor,sleep="})
      for (const bool sleep : {false, true}) {
        const auto strategy = std::move(*made(spec + std::to_string(sleep), "rand", 5));
        const Reduced r = reduce(*strategy, p);
        EXPECT_EQ(r.traces.distinct(), all.distinct()) << p.name << " by " << spec << sleep;
        EXPECT_TRUE(r.result.complete()) << p.name;
        (sleep ? with : without) += r.result.executions;
      }
  });
  EXPECT_LT(with, without);
}

TEST(BestFirstDporDifferential, FourThreads) {
  uint64_t used = 0;
  for (uint64_t seed = 0; seed < random_programs(200); ++seed) {  // some wake one of several waiters
    const Program p = random_program_of_four(seed);
    if (total(count_schedules(p)) > 2500) continue;
    ++used;
    const auto everything = dfs(), some = reduced("rand", seed);
    const Reduced r = reduce(*some, p, {.window = 1 + seed % 9});
    ASSERT_EQ(r.traces.distinct(), reduce(*everything, p).traces.distinct()) << p.name;
    ASSERT_TRUE(r.result.complete()) << p.name;
  }
  EXPECT_GT(used, 20u);
}

TEST(NegativeControl, LettingSiblingsSleepThatWereNotHandedOutLosesTraces) {
  int lost = 0;
  for_random_programs([&lost](const Program& p, const Traces& all) {
    SourceDporOptions options;
    options.order =
        dpor::DporOrder{.look = [](TraceView, std::span<const Delta>) {},
                        .rank = [](const Alternative& a) -> uint64_t { return (a.step * 7 + a.value) % 5; }};
    options.all_siblings_sleep = true;
    const auto wrong = make_source_dpor(options);
    lost += reduce(*wrong, p).traces.distinct() != all.distinct();
  });
  EXPECT_GT(lost, 0);
}

TEST(BestFirstDpor, CannotBeBounded) {
  const auto bounded = made("best-first:expand=dpor,preemptions=2", "pb");
  ASSERT_FALSE(bounded);
  EXPECT_EQ(bounded.error().code, ExitCode::Usage);
  EXPECT_TRUE(made("best-first:expand=bound,preemptions=2", "pb"));
  EXPECT_FALSE(made("best-first:expand=all", "pb"));
}

}  // namespace
}  // namespace lockstep::fake
