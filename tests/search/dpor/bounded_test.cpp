// Searches within a bound: what must be there is there; and mistakes that must show.
#include <gtest/gtest.h>

#include "analysis/min_preemptions.hpp"
#include "known.hpp"
#include "search/strategies/bounded.hpp"
#include "search/strategies/bpor.hpp"
#include "search/strategies/delay.hpp"
#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/source_dpor.hpp"
#include "trace_helpers.hpp"

namespace lockstep::fake {
namespace {

class BoundedZoo : public testing::TestWithParam<TraceRow> {};

TEST_P(BoundedZoo, DelayBoundingRunsEveryExecutionWithinItsBoundOnce) {
  for (uint32_t d = 0; d < 5; ++d) {
    const auto strategy = make_delay({.bound = d});
    const Explored e = explore(*strategy, GetParam().program);
    EXPECT_EQ(e.result.executions, GetParam().delayed[d]) << d << " delays";
    EXPECT_TRUE(all_distinct(e.sorted()));
    EXPECT_EQ(known(e.result), "delays " + std::to_string(d));
    EXPECT_EQ(e.result.claim.preemptions_completed, std::nullopt);
  }
}

TEST_P(BoundedZoo, ChessFindsTheTracesWithinItsBound) {
  for (uint32_t c = 0; c < 4; ++c) {
    const auto strategy = make_chess({.preemptions = c});
    const Reduced r = reduce(*strategy, GetParam().program);
    EXPECT_EQ(r.result.traces, GetParam().within[c]) << c << " preemptions";
    EXPECT_EQ(r.result.claim.preemptions_completed, c);
  }
}

TEST_P(BoundedZoo, BporFindsTheTracesWithinItsBound) {
  for (uint32_t c = 0; c < 3; ++c) {
    const auto strategy = make_bpor({.preemptions = c});
    const Reduced r = reduce(*strategy, GetParam().program);
    EXPECT_EQ(r.result.traces, GetParam().within[c]) << c << " preemptions";
    EXPECT_LE(r.result.preemptions_max, c);
    EXPECT_EQ(r.result.claim.preemptions_completed, c);
    EXPECT_EQ(r.result.complete(), true) << int(r.result.ending);
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, BoundedZoo, testing::ValuesIn(trace_rows()), test_name);

TEST(Bpor, CounterOfTwoThreadsAndFourStepsHasEightTracesWithOnePreemption) {
  const auto strategy = make_bpor({.preemptions = 1});
  const Reduced r = reduce(*strategy, fetch_add(2, 4));
  EXPECT_EQ(r.result.traces, 8u);
  EXPECT_EQ(r.result.executions, 8u);
  EXPECT_EQ(known(r.result), "preemptions 1");
}

// What the second lock of the first thread met before it was reached counts as well as what it met while it waited.
TEST(Bpor, PointsFromBeforeAStepWasPending) {
  const Program p{
      .name = "lock a; unlock; lock b; unlock || lock a; unlock; lock b; lock a; unlock; unlock; lock b; unlock",
      .threads = {{lock(0), unlock(0), lock(1), unlock(1), lock(0), unlock(0)},
                  {lock(0), unlock(0), lock(1), lock(0), unlock(0), unlock(1), lock(1), unlock(1)}}};
  const auto everything = dfs(), bounded = make_bpor({.preemptions = 1});
  EXPECT_EQ(reduce(*bounded, p).traces.distinct(), reduce(*everything, p).traces.within(1));
}

TEST(BoundedDifferential, ChessFindsTheTracesWithinItsBound) {
  for_random_programs([](const Program& p, const Traces& all) {
    for (uint32_t c = 0; c <= 2; ++c) {
      const auto strategy = make_chess({.preemptions = c});
      ASSERT_EQ(reduce(*strategy, p).traces.distinct(), all.within(c)) << p.name << " within " << c;
    }
    const auto unbounded = make_chess({});
    ASSERT_EQ(reduce(*unbounded, p).traces.distinct(), all.distinct()) << p.name;
  });
}

TEST(BoundedDifferential, BporFindsTheTracesWithinItsBound) {
  for_random_programs([](const Program& p, const Traces& all) {
    for (uint32_t c = 0; c <= 2; ++c) {
      const auto strategy = make_bpor({.preemptions = c});
      ASSERT_EQ(reduce(*strategy, p).traces.distinct(), all.within(c)) << p.name << " within " << c;
    }
  });
}

std::unique_ptr<Search> bounded(bool optimal, uint32_t preemptions) {
  return optimal ? make_optimal_dpor({.preemptions = preemptions}) : make_source_dpor({.preemptions = preemptions});
}

TEST_P(BoundedZoo, TraceCostBoundingFindsTheTracesWithinItsBound) {
  for (uint32_t c = 0; c < 4; ++c)
    for (const bool optimal : {false, true}) {
      const auto strategy = bounded(optimal, c);
      const Reduced r = reduce(*strategy, GetParam().program);
      EXPECT_EQ(r.result.traces, GetParam().within[c]) << c << " preemptions";
      EXPECT_EQ(r.result.claim.preemptions_completed, c);
    }
}

TEST(BoundedDifferential, TraceCostBoundingFindsTheTracesWithinItsBound) {
  uint64_t all_executions = 0, pruned = 0;
  for_random_programs([&](const Program& p, const Traces& all) {
    for (uint32_t c = 0; c <= 2; ++c)
      for (const bool optimal : {false, true}) {
        const auto strategy = bounded(optimal, c);
        const Reduced r = reduce(*strategy, p);
        const auto found = r.traces.distinct(), wanted = all.within(c);
        ASSERT_TRUE(std::includes(found.begin(), found.end(), wanted.begin(), wanted.end()))
            << p.name << " within " << c;
        ASSERT_TRUE(!optimal || r.result.executions <= all.cost.size()) << p.name;
        ASSERT_EQ(r.result.traces, wanted.size()) << p.name << " within " << c;
        pruned += all.cost.size() - found.size();
        all_executions += all.cost.size();
      }
  });
  EXPECT_GT(pruned * 100, all_executions) << "hardly anything is saved";
}

// What the search calls the cost of a trace is the fewest preemptions of its executions.
TEST(BoundedDifferential, TheCostOfATraceIsThatOfItsCheapestExecution) {
  for_random_programs(
      [](const Program& p, const Traces& all) {
        const auto strategy = make_optimal_dpor({});
        FakeExecutor executor(p);
        while (const auto plan = strategy->next()) {
          executor.submit(*plan);
          const TraceView trace = *executor.next([] { return false; });
          HappensBefore order;
          for (const Step& s : trace.steps()) order.push(s);
          MinPreemptions cost;
          const uint32_t cheapest = all.cost.at(fingerprint_of(trace).low);
          ASSERT_FALSE(cost.exceeds(order, order.size(), cheapest)) << p.name;
          ASSERT_FALSE(cost.exceeds(order, trace.pending(), cheapest)) << p.name;
          if (cheapest > 0) {
            ASSERT_TRUE(cost.exceeds(order, trace.pending(), cheapest - 1)) << p.name;
          }
          strategy->learn(trace);
        }
      },
      100);
}

// --- Negative controls: each plants one mistake and counts the programs on which it shows.

template <class Make>
int programs_that_lose_traces(Make make) {
  int lost = 0;
  for_random_programs([&](const Program& p, const Traces& all) {
    for (uint32_t c = 0; c <= 2; ++c) {
      const std::unique_ptr<Search> strategy = make(c);
      if (reduce(*strategy, p).traces.distinct() == all.within(c)) continue;
      ++lost;
      return;
    }
  });
  return lost;
}

TEST(NegativeControl, ACacheThatForgetsWhoRanLastLosesTraces) {
  EXPECT_GT(programs_that_lose_traces([](uint32_t c) {
              TreeSearchParts parts;
              parts.bound = c;
              parts.rank = [](const Alternative& a) -> uint64_t { return a.cost; };
              parts.level_by_level = true;
              parts.cache = true;
              parts.cache_forgets_who_ran_last = true;
              return std::make_unique<TreeSearch>(std::move(parts));
            }),
            0);
}

TEST(NegativeControl, TraceCostBoundingWithoutSlackLosesTraces) {
  const Program p = random_program_of_four(147);
  const auto everything = dfs(), right = bounded(false, 0);
  const auto wrong = make_source_dpor({.preemptions = 0, .slack = 0});
  const auto wanted = reduce(*everything, p).traces.within(0);
  const auto found = reduce(*right, p).traces.distinct(), too_few = reduce(*wrong, p).traces.distinct();
  EXPECT_TRUE(std::includes(found.begin(), found.end(), wanted.begin(), wanted.end()));
  EXPECT_FALSE(std::includes(too_few.begin(), too_few.end(), wanted.begin(), wanted.end()));
}

TEST(NegativeControl, BporWithoutConservativePointsLosesTraces) {
  EXPECT_GT(programs_that_lose_traces([](uint32_t c) { return make_bpor({.preemptions = c, .conservative = false}); }),
            0);
}

TEST(NegativeControl, SleepSetsUnderABoundLoseTraces) {
  EXPECT_GT(programs_that_lose_traces([](uint32_t c) { return make_bpor({.preemptions = c, .sleep_sets = true}); }), 0);
}

}  // namespace
}  // namespace lockstep::fake
