// Reductions in units, explored in any order by any number of workers: the traces of depth-first search, and everything
// else as one worker finds it.
#include "search/dpor/divided_dpor.hpp"

#include "fake_crew.hpp"
#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/source_dpor.hpp"
#include "trace_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

using dpor::DivisionSizes;

MakeSearch source(DivisionSizes sizes) {
  return [sizes] { return make_source_dpor({.lanes = 4, .division = sizes}); };
}
MakeSearch optimal(DivisionSizes sizes) {
  return [sizes] { return make_optimal_dpor({.preemptions = {}, .lanes = 4, .before_lanes = 2, .division = sizes}); };
}

DivisionSizes sizes_for(uint64_t seed) {
  return {.undivided = 1 + seed % 4, .unit_executions = 1 + seed % 9, .lanes = static_cast<unsigned>(2 + seed % 6)};
}

Trouble trouble_of(unsigned workers) {
  return {.killed = workers == 2 ? 30u : 0u, .refused = workers == 5 ? 30u : 0u, .given_up = workers == 4 ? 30u : 0u};
}

// body(program, its traces, seed)
template <class Body>
void for_programs(uint64_t count, Body body) {
  Program (*const make[])(uint64_t) = {random_program, random_program_that_ends, random_program_of_four};
  for (uint64_t seed = 0; seed < random_programs(count); ++seed)
    for (const auto& random : make) {
      const Program p = random(seed);
      if (total(count_schedules(p)) > 1500) continue;
      body(p,
           run(
               p, [] { return dfs(); }, 1, {}, true),
           seed);
      if (testing::Test::HasFailure()) return;
    }
}

TEST(DividedDpor, FindsTheTracesOfDfsWithAnyNumberOfWorkers) {
  uint64_t units = 0, bugs = 0, exact = 0;
  for_programs(150, [&](const Program& p, const CrewRun& all, uint64_t seed) {
    for (const MakeSearch& make : {source(sizes_for(seed)), optimal(sizes_for(seed))})
      for (const bool keep_going : {true, false}) {
        const std::string what = p.name + " seed " + std::to_string(seed);
        const CrewRun one = run(p, make, 1, {}, keep_going);
        if (keep_going) {
          const CrewRun whole = run(
              p, [] { return make_source_dpor({.lanes = 4}); }, 1, {}, true);
          // Where the process ends early, prefixes of a trace may count as well.
          ASSERT_EQ(one.traces == all.traces, whole.traces == all.traces) << what;
          exact += one.traces == all.traces;
          ASSERT_EQ(one.result.ending, Ending::Finished) << what;
          EXPECT_TRUE(one.result.claim.finished) << what;
          EXPECT_EQ(one.result.bugs.empty(), all.result.bugs.empty()) << what;
        }
        bugs += one.result.bugs.size();
        for (const unsigned workers : {2u, 3u, 4u, 5u}) {
          const CrewRun r = run(p, make, workers, {}, keep_going, seed + workers, trouble_of(workers));
          expect_same(r.result, one.result, what + " workers " + std::to_string(workers));
          units += r.units;
        }
      }
  });
  EXPECT_GT(units, 1000u) << "otherwise nobody explored side by side";
  EXPECT_GT(bugs, 20u);
  EXPECT_GT(exact, 200u);
}

class DividedZoo : public testing::TestWithParam<TraceRow> {};

TEST_P(DividedZoo, FindsAllTraces) {
  for (const MakeSearch& make : {source({.undivided = 3, .unit_executions = 20, .lanes = 8}),
                                 optimal({.undivided = 3, .unit_executions = 20, .lanes = 8})})
    for (const unsigned workers : {1u, 4u}) {
      const CrewRun r = run(GetParam().program, make, workers, {}, true);
      EXPECT_EQ(r.result.traces, GetParam().traces) << workers;
      EXPECT_TRUE(r.result.claim.finished) << workers;
    }
}

INSTANTIATE_TEST_SUITE_P(Divided, DividedZoo, testing::ValuesIn(trace_rows()), test_name);

TEST(DividedDpor, IsNotDividedBeforeItsTime) {
  const CrewRun r = run(philosophers(3), optimal({}), 4, {}, true);
  EXPECT_EQ(r.units, 0u);
  EXPECT_EQ(r.result.redundant, 0u);
}

// Source sets run most traces of this program in vain several times.
TEST(DividedDpor, GoesBackToWakeupTreesWhereTheyRunMuchLess) {
  const DivisionSizes sizes{.undivided = 10, .unit_executions = 20, .spare = 100, .lanes = 4};
  const Exploration one = run(last_zero(9), optimal(sizes), 1, {}, true).result;
  EXPECT_EQ(one.traces, run(last_zero(9), optimal({}), 1, {}, true).result.traces);
  EXPECT_LT(one.executions, run(last_zero(9), source({}), 1, {}, true).result.executions);
  EXPECT_TRUE(one.claim.finished);
  for (const unsigned workers : {2u, 4u})
    expect_same(run(last_zero(9), optimal(sizes), workers, {}, true, workers, trouble_of(workers)).result, one, "crew");
}

TEST(DividedDpor, UsesUpABudgetExactly) {
  for (const unsigned workers : {1u, 3u}) {
    const Budget budget{.executions = 50, .time = {}};
    const CrewRun r =
        run(readers(7), source({.undivided = 5, .unit_executions = 7, .lanes = 4}), workers, budget, true);
    EXPECT_EQ(r.result.executions, 50u);
  }
}

TEST(DividedDpor, AnInterruptedSearchGoesOnToTheSameTraces) {
  const Program program = readers(7);
  unsigned resumed = 0;
  for (const MakeSearch& make : {source({.undivided = 5, .unit_executions = 7, .lanes = 4}),
                                 optimal({.undivided = 5, .unit_executions = 7, .lanes = 4})})
    for (const unsigned workers : {1u, 2u, 5u}) {
      const Exploration one = run(program, make, 1, {}, true).result;
      for (uint64_t looks_allowed = 3; looks_allowed < 120; looks_allowed += 9) {
        const auto [part, all] = in_two_parts(program, make, workers, looks_allowed);
        if (part.ending != Ending::Interrupted) break;
        ++resumed;
        EXPECT_EQ(all.traces, one.traces) << workers << " " << looks_allowed;
        EXPECT_EQ(known(all), known(one));
      }
    }
  EXPECT_GT(resumed, 20u);
}

// What a unit wants above itself is lost with its requests.
TEST(NegativeControl, ForgettingTheRequestsOfUnitsLosesTraces) {
  uint64_t lost = 0;
  for_programs(60, [&](const Program& p, const CrewRun& all, uint64_t seed) {
    DivisionSizes sizes = sizes_for(seed);
    sizes.forgets_requests = true;
    lost += run(p, source(sizes), 1, {}, true).traces != all.traces;
  });
  EXPECT_GT(lost, 10u);
}

}  // namespace
}  // namespace lockstep::fake
