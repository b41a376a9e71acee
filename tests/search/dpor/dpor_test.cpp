// Reductions: every trace of well-known and of random programs, no trace twice; and mistakes that must show.
#include <gtest/gtest.h>

#include "known.hpp"
#include "search/strategies/classic_dpor.hpp"
#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/source_dpor.hpp"
#include "trace_helpers.hpp"

namespace lockstep::fake {
namespace {

class Zoo : public testing::TestWithParam<TraceRow> {};

TEST_P(Zoo, OptimalRunsEveryTraceExactlyOnce) {
  const auto strategy = make_optimal_dpor({});
  const Reduced r = reduce(*strategy, GetParam().program);
  EXPECT_EQ(r.result.executions, GetParam().traces);
  EXPECT_EQ(r.result.traces, GetParam().traces);
  EXPECT_EQ(r.result.redundant, 0u);
  EXPECT_TRUE(r.result.complete()) << int(r.result.ending);
}

TEST_P(Zoo, SourceSetsRunEveryTraceOnceAndFewInVain) {
  const auto strategy = make_source_dpor({});
  const Reduced r = reduce(*strategy, GetParam().program);
  EXPECT_EQ(r.result.traces, GetParam().traces);
  EXPECT_EQ(r.result.redundant, GetParam().blocked_by_source_sets);
  EXPECT_EQ(r.traces.blocked, GetParam().blocked_by_source_sets);
  EXPECT_TRUE(r.result.complete()) << int(r.result.ending);
}

TEST_P(Zoo, ClassicDporRunsEveryTrace) {
  const auto strategy = make_dpor({});
  const Reduced r = reduce(*strategy, GetParam().program);
  EXPECT_EQ(r.result.traces, GetParam().traces);
  EXPECT_TRUE(r.result.complete()) << int(r.result.ending);
}

INSTANTIATE_TEST_SUITE_P(Dpor, Zoo, testing::ValuesIn(trace_rows()), test_name);

TEST(DporDifferential, OptimalFindsTheTracesOfDfsOnce) {
  for_random_programs([](const Program& p, const Traces& all) {
    const auto strategy = make_optimal_dpor({});
    const Reduced r = reduce(*strategy, p);
    ASSERT_EQ(r.traces.distinct(), all.distinct()) << p.name;
    ASSERT_EQ(r.result.executions, all.cost.size()) << p.name;
    ASSERT_TRUE(r.result.complete()) << p.name << ": " << int(r.result.ending);
  });
}

TEST(DporDifferential, SourceSetsFindTheTracesOfDfsOnce) {
  for_random_programs([](const Program& p, const Traces& all) {
    const auto strategy = make_source_dpor({});
    const Reduced r = reduce(*strategy, p);
    ASSERT_EQ(r.traces.distinct(), all.distinct()) << p.name;
    ASSERT_EQ(r.traces.executions, all.cost.size()) << p.name;
    ASSERT_TRUE(r.result.complete()) << p.name << ": " << int(r.result.ending);
  });
}

TEST(DporDifferential, ClassicFindsTheTracesOfDfs) {
  uint64_t executions[2] = {0, 0};
  for_random_programs([&](const Program& p, const Traces& all) {
    for (const bool sleep_sets : {false, true}) {
      const auto strategy = make_dpor({.sleep_sets = sleep_sets});
      const Reduced r = reduce(*strategy, p);
      ASSERT_EQ(r.traces.distinct(), all.distinct()) << p.name << (sleep_sets ? ", sleep sets" : "");
      ASSERT_TRUE(r.result.complete()) << p.name << ": " << int(r.result.ending);
      executions[sleep_sets] += r.traces.executions;
    }
  });
  EXPECT_LT(executions[true], executions[false]);
}

TEST(DporDifferential, SourceSetsWithoutSleepSetsFindTheTracesOfDfs) {
  for_random_programs([](const Program& p, const Traces& all) {
    const auto strategy = make_source_dpor({.sleep_sets = false});
    const Reduced r = reduce(*strategy, p);
    ASSERT_EQ(r.traces.distinct(), all.distinct()) << p.name;
    ASSERT_EQ(r.traces.blocked, 0u) << p.name;
    ASSERT_TRUE(r.result.complete()) << p.name << ": " << int(r.result.ending);
  });
}

// Mistakes in how conditional operations are planned show with four threads only.
TEST(DporDifferential, FourThreads) {
  uint64_t used = 0;
  for (uint64_t seed = 0; seed < random_programs(500); ++seed) {
    const Program p = random_program_of_four(seed);
    if (total(count_schedules(p)) > 4000) continue;
    ++used;
    const auto everything = dfs(), source = make_source_dpor({}), optimal = make_optimal_dpor({});
    const std::set<uint64_t> all = reduce(*everything, p).traces.distinct();
    const Reduced s = reduce(*source, p), o = reduce(*optimal, p, {.window = 1 + seed % 9});
    ASSERT_EQ(s.traces.distinct(), all) << p.name;
    ASSERT_EQ(s.traces.executions, all.size()) << p.name;
    ASSERT_EQ(o.traces.distinct(), all) << p.name;
    ASSERT_EQ(o.result.executions, all.size()) << p.name;
    ASSERT_TRUE(s.result.complete() && o.result.complete())
        << p.name << ": " << int(s.result.ending) << int(o.result.ending);
  }
  EXPECT_GT(used, 100u);
}

// A step whose outcome is not known when it is planned must not stand for all that can follow it.
TEST(Dpor, ACasBetweenReaders) {
  const Program p{.name = "ld x || st x; rmw x || cas x || ld x",
                  .threads = {{ld(0, 0)},
                              {st(0, 7), rmw(
                                             0, [](Value old, const Registers&) { return old + 1; }, 0)},
                              {cas(0, 0, 5, 0)},
                              {ld(0, 0)}}};
  const auto source = make_source_dpor({}), optimal = make_optimal_dpor({});
  EXPECT_EQ(reduce(*source, p).result.traces, 34u);
  EXPECT_EQ(reduce(*optimal, p).result.executions, 34u);
}

// Nor must what is planned to follow it.
TEST(Dpor, TriesBetweenReaders) {
  const auto unless_taken = [](int past) {
    return jump([past](const Registers& r) -> Value { return r[5] ? -1 : past; });
  };
  const Program p{.name = "try-write-lock; st x; unlock || try-read-lock; unlock || ld x || read-lock",
                  .threads = {{try_write_lock(0, 5), unless_taken(4), st(1, 7), write_unlock(0)},
                              {try_read_lock(0, 5), unless_taken(3), read_unlock(0)},
                              {ld(1, 0)},
                              {read_lock(0)}}};
  const auto everything = dfs(), source = make_source_dpor({}), optimal = make_optimal_dpor({});
  EXPECT_EQ(reduce(*everything, p).result.traces, 10u);
  EXPECT_EQ(reduce(*source, p).result.traces, 10u);
  EXPECT_EQ(reduce(*optimal, p).result.executions, 10u);
}

TEST(DporDifferential, TheNumberOfPlansUnderWayChangesNothing) {
  for_random_programs([&](const Program& p, const Traces& all) {
    for (const bool optimal : {false, true}) {
      const auto alone = optimal ? make_optimal_dpor({}) : make_source_dpor({});
      const Exploration expected = reduce(*alone, p).result;
      for (const size_t window : {2, 7, 64}) {
        const auto strategy = optimal ? make_optimal_dpor({}) : make_source_dpor({});
        const Reduced r = reduce(*strategy, p, {.window = window, .timing = Timing::Backwards});
        ASSERT_EQ(r.traces.distinct(), all.distinct()) << p.name << " window " << window << " optimal " << optimal;
        ASSERT_EQ(r.result.executions, expected.executions) << p.name << " window " << window << " optimal " << optimal;
        ASSERT_TRUE(r.result.complete()) << p.name << ": " << int(r.result.ending);
      }
    }
  });
}

// The literature's larger numbers.
TEST(Dpor, LastZeroHasNPlus3TimesTwoToTheNMinus2Traces) {
  constexpr uint64_t kInVain[] = {15, 73, 294, 1068};
  for (int n = 5; n <= 8; ++n) {
    const Program p = last_zero(n);
    const auto source = make_source_dpor({}), optimal = make_optimal_dpor({});
    const uint64_t traces = static_cast<uint64_t>(n + 3) << (n - 2);
    const Reduced s = reduce(*source, p), o = reduce(*optimal, p);
    EXPECT_EQ(s.result.traces, traces);
    EXPECT_EQ(s.result.redundant, kInVain[n - 5]);
    EXPECT_EQ(o.result.traces, traces);
    EXPECT_EQ(o.result.executions, traces);
  }
}

TEST(Dpor, ReadersAndIndexer) {
  const std::pair<Program, uint64_t> rows[] = {
      {readers(10), 1024}, {indexer(11, 128, 4), 1}, {indexer(12, 128, 4), 8}, {indexer(13, 128, 4), 64}};
  for (const auto& [program, traces] : rows) {
    const auto source = make_source_dpor({}), optimal = make_optimal_dpor({});
    EXPECT_EQ(reduce(*source, program).result.executions, traces) << program.name;
    EXPECT_EQ(reduce(*optimal, program).result.executions, traces) << program.name;
  }
}

TEST(Dpor, ManyThreadsAndWideSets) {
  const auto optimal = make_optimal_dpor({});
  EXPECT_EQ(reduce(*optimal, readers(80), {}, {.executions = 100, .time = {}}).result.traces, 100u);
  for_random_programs([](const Program& p, const Traces& all) {
    const auto strategy = make_optimal_dpor({});
    ASSERT_EQ(reduce(*strategy, p, {.wide_sets = true}).result.executions, all.cost.size()) << p.name;
  });
}

TEST(Dpor, SaysWhatIsKnown) {
  const auto optimal = make_optimal_dpor({}), source = make_source_dpor({}), classic = make_dpor({});
  const auto bounded = make_optimal_dpor({.preemptions = 1}), stopped = make_optimal_dpor({});
  EXPECT_EQ(known(reduce(*optimal, increment(3)).result), "all, 36 traces");
  EXPECT_EQ(known(reduce(*source, independent(2, 2)).result), "all, 1 traces");
  EXPECT_EQ(known(reduce(*classic, increment(3)).result), "all");
  EXPECT_EQ(known(reduce(*bounded, increment(3)).result), "preemptions 1 by cost");
  EXPECT_EQ(known(reduce(*stopped, increment(3), {}, {.executions = 35, .time = {}}).result), "");
}

TEST(Dpor, ClaimsNothingIfExecutionsAreCutLostOrDiverge) {
  for (const Outcome outcome : {Outcome::StepLimit, Outcome::WorkerDied, Outcome::Diverged}) {
    const auto strategy = make_optimal_dpor({});
    const auto spoil = [outcome](Trace& trace, uint64_t n) {
      if (n == 5) const_cast<TraceHeader&>(trace.view().header()).outcome = outcome;
    };
    const Exploration r = reduce(*strategy, increment(3), {.tamper = spoil}).result;
    EXPECT_FALSE(r.complete()) << name_of(outcome);
    EXPECT_EQ(known(r), "") << name_of(outcome);
    EXPECT_EQ(r.claim.provisos.size(), 1u) << name_of(outcome);
  }
}

TEST(Dpor, EstimatesHowManyExecutionsThereAre) {
  const auto strategy = make_optimal_dpor({});
  const Program p = readers(8);
  uint64_t n = 0;
  while (const auto plan = strategy->next()) {
    strategy->learn(execute(p, *plan));
    if (++n == 128) {
      EXPECT_GE(strategy->status().estimated_total, 128u);
      EXPECT_LE(strategy->status().estimated_total, 1024u);
    }
  }
  EXPECT_EQ(n, 256u);
}

// --- Negative controls: each plants one mistake and must show.

Program classic_and_sleep_sets_lose_one() {
  const auto next = [](Value old, const Registers&) { return old + 1; };
  return {.name = "rmw b; ld a || ld c; ld a || st b; rmw a",
          .threads = {{rmw(1, next, 0), ld(0, 1)}, {ld(2, 0), ld(0, 1)}, {st(1, 5), rmw(0, next, 0)}}};
}

TEST(NegativeControl, ClassicDporThatLeavesRacesToSleepersLosesTraces) {
  const Program p = classic_and_sleep_sets_lose_one();
  const auto right = make_dpor({}), source = make_source_dpor({}), optimal = make_optimal_dpor({});
  EXPECT_EQ(reduce(*right, p).result.traces, 8u);
  EXPECT_EQ(reduce(*source, p).result.traces, 8u);
  EXPECT_EQ(reduce(*optimal, p).result.traces, 8u);
  int lost = 0;
  for_random_programs([&](const Program& q, const Traces& all) {
    const auto wrong = make_dpor({.picks_sleepers = true});
    lost += reduce(*wrong, q).traces.distinct() != all.distinct();
  });
  EXPECT_GT(lost, 0);
}

TEST(NegativeControl, PlanningACasByWhatItDidLosesTraces) {
  int lost = 0;
  for_random_programs([&](const Program& p, const Traces& all) {
    const auto wrong = make_optimal_dpor({.preemptions = {}, .observed_labels = true});
    lost += reduce(*wrong, p).traces.distinct() != all.distinct();
  });
  EXPECT_GT(lost, 0);
}

TEST(NegativeControl, OverlookingWhoOnlyLookedLosesTraces) {
  int lost = 0;
  for_random_programs([&](const Program& p, const Traces& all) {
    const auto wrong = make_optimal_dpor({.preemptions = {}, .overlooks = true});
    lost += reduce(*wrong, p).traces.distinct() != all.distinct();
  });
  EXPECT_GT(lost, 0);
}

// Without the records of those who leave, what they do next seems possible before the last arrival.
TEST(NegativeControl, LeavingABarrierUntoldShows) {
  const auto untold = [](Trace& trace, uint64_t) {
    for (const Step& step : trace.view().steps())
      if (step.kind == OpKind::BarrierLeave) const_cast<Step&>(step).kind = OpKind::Fence;
  };
  int differ = 0;
  for_random_programs([&](const Program& p, const Traces& all) {
    const auto strategy = make_optimal_dpor({});
    const Exploration r = reduce(*strategy, p, {.tamper = untold}).result;
    differ += r.executions != all.cost.size() || !r.complete();
  });
  EXPECT_GT(differ, 0);
}

}  // namespace
}  // namespace lockstep::fake
