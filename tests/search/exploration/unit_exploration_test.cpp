// Units of a search explored by a crew: the same executions, counts, claim and first bug for any number of workers, in
// whatever order they finish, with units that are lost on the way or have to be explored again.
#include <gtest/gtest.h>

#include "fake_crew.hpp"
#include "search/strategies/random.hpp"
#include "trace_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

MakeSearch in_units(uint64_t executions, bool levels, std::optional<uint32_t> bound = {}) {
  return [=] {
    TreeSearchParts parts;
    parts.bound = bound;
    parts.unit_executions = executions;
    parts.window = kWindow;
    if (levels) parts.rank = [](const Alternative& a) { return a.cost; };
    parts.level_by_level = levels;
    return std::make_unique<TreeSearch>(std::move(parts));
  };
}

TEST(Units, GiveTheSameResultsForAnyNumberOfWorkers) {
  uint64_t units = 0, bugs = 0;
  for (const bool ends : {false, true})
    for (uint64_t seed = 0; seed < random_programs(100); ++seed) {
      const Program p = ends ? random_program_that_ends(seed) : random_program(seed);
      if (run(p, in_units(0, false), 1, {.executions = 250, .time = {}}, true).result.ending != Ending::Finished)
        continue;
      for (const bool levels : {false, true})
        for (const bool keep_going : {false, true}) {
          const MakeSearch make = in_units(1 + seed % 40, levels);
          const Budget budget{.executions = {}, .time = {}};
          const Exploration one = run(p, make, 1, budget, keep_going).result;
          // Divided or not, every execution is run once.
          const MakeSearch whole = in_units(0, levels);
          if (one.ending == Ending::Finished) {
            EXPECT_EQ(run(p, whole, 1, budget, keep_going).result.executions, one.executions);
          }
          bugs += one.bugs.size();
          for (const unsigned workers : {2, 3, 4, 5}) {
            const CrewRun r = run(p, make, workers, budget, keep_going, seed + workers,
                                  {.killed = workers == 3 ? 30u : 0u,
                                   .refused = workers == 5 ? 30u : 0u,
                                   .given_up = workers == 4 ? 30u : 0u});
            expect_same(r.result, one,
                        p.name + " seed " + std::to_string(seed) + " workers " + std::to_string(workers));
            units += r.units;
          }
        }
    }
  EXPECT_GT(units, 1000u) << "otherwise nobody explored side by side";
  EXPECT_GT(bugs, 20u);
}

TEST(Units, AreWithinABoundWhatTheWholeSearchIs) {
  for (const uint32_t bound : {0, 1, 2}) {
    const Exploration whole = run(philosophers(3), in_units(0, true, bound), 1, {}, true).result;
    for (const unsigned workers : {1, 2, 5}) {
      const Exploration r = run(philosophers(3), in_units(7, true, bound), workers, {}, true).result;
      EXPECT_EQ(r.executions, whole.executions);
      EXPECT_EQ(r.traces, whole.traces);
      EXPECT_EQ(r.by_preemptions, whole.by_preemptions);
      EXPECT_EQ(known(r), known(whole));
    }
  }
}

TEST(Units, OfSeedsAreDrawnInTheirOrder) {
  const MakeSearch make = [] { return make_random({.seed = 3, .divided = true}); };
  const MakeSearch whole = [] { return make_random({.seed = 3}); };
  const Budget budget{.executions = 30'001, .time = {}};
  for (const bool keep_going : {false, true}) {
    const Exploration one = run(increment(3), make, 1, budget, keep_going).result;
    expect_same(run(increment(3), whole, 1, budget, keep_going).result, one, "as a whole");
    for (const unsigned workers : {2, 3, 5}) {
      const CrewRun r = run(increment(3), make, workers, budget, keep_going, workers, {.killed = 20, .refused = 20});
      expect_same(r.result, one, std::to_string(workers));
      if (keep_going) {
        EXPECT_GT(r.units, 3u);
      }
    }
  }
}

// What is under way when time is over is counted as far as it went, and what goes on from there ends with all.
TEST(Units, AnInterruptedSearchGoesOnToTheSameCounts) {
  const Program program = philosophers(3);
  for (const bool levels : {false, true}) {
    const MakeSearch make = in_units(20, levels);
    const Exploration one = run(program, make, 1, {}, true).result;
    for (const unsigned workers : {2, 5}) {
      uint64_t looks_in_all = 0;
      run(program, make, workers, {}, true, 1, {},
          [&](ExplorerHooks& hooks) { hooks.interrupted = [&] { return ++looks_in_all == 0; }; });
      for (const uint64_t quarters : {1, 2, 3}) {
        const auto [part, all] = in_two_parts(program, make, workers, looks_in_all * quarters / 4);
        ASSERT_EQ(part.ending, Ending::Interrupted);
        ASSERT_LT(part.executions, one.executions);
        EXPECT_EQ(all.executions, one.executions);
        EXPECT_EQ(all.traces, one.traces);
        EXPECT_EQ(known(all), known(one));
      }
    }
  }
}

// Accesses that become scheduling points while units are under way: what was drawn ahead is drawn again.
TEST(Units, OfSeedsAreDrawnAgainWithNewPoints) {
  const MakeSearch make = [] { return make_random({.seed = 3, .divided = true}); };
  CrewRun r;
  uint64_t crews = 0;
  r = run(increment(3), make, 3, {.executions = 20'000, .time = {}}, true, 1, {}, [&](ExplorerHooks& hooks) {
    hooks.promote = [](TraceView) { return true; };
    const auto start = hooks.start_crew;
    hooks.start_crew = [&crews, start] {
      ++crews;
      return start();
    };
  });
  EXPECT_EQ(r.result.executions, 20'000u);
  EXPECT_GE(crews, 1u);
}

}  // namespace
}  // namespace lockstep::fake
