// Several depth-first searches over one tree: the executions are those of one, whatever their number and how many plans
// are under way.
#include <gtest/gtest.h>

#include <random>

#include "known.hpp"
#include "search/dpor/lanes.hpp"
#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/source_dpor.hpp"
#include "trace_helpers.hpp"

namespace lockstep::fake {
namespace {

using dpor::Lanes;

std::unique_ptr<Search> in_lanes(unsigned lanes) {
  SourceDporOptions options;
  options.lanes = lanes;
  return make_source_dpor(options);
}

std::unique_ptr<Search> optimal_in_lanes(unsigned lanes, uint64_t before = 1) {
  OptimalDporOptions options;
  options.lanes = lanes;
  options.before_lanes = before;
  return make_optimal_dpor(options);
}

// Every trace, and if that is what is claimed, no trace twice.
void expect_traces(const Reduced& r, const Traces& all, const Program& p) {
  ASSERT_EQ(r.traces.distinct(), all.distinct()) << p.name;
  ASSERT_TRUE(r.result.complete()) << p.name << ": " << int(r.result.ending);
  if (!r.result.claim.traces) return;
  ASSERT_EQ(r.traces.executions, all.cost.size()) << p.name;
}

// None begun in vain. Where it had to start over in one lane, those before that do not count.
void expect_optimal(const Reduced& r, const Traces& all, const Program& p, uint64_t& exact) {
  ASSERT_EQ(r.traces.distinct(), all.distinct()) << p.name;
  ASSERT_TRUE(r.result.complete()) << p.name << ": " << int(r.result.ending);
  ASSERT_EQ(r.traces.blocked, 0u) << p.name;
  if (r.result.claim.traces) {
    ASSERT_EQ(*r.result.claim.traces, all.cost.size()) << p.name;
  }
  exact += r.result.executions == all.cost.size();
}

constexpr auto kAny = [](uint32_t) { return true; };

TEST(Lanes, ALaneTakesTheDeepestOfItsOwn) {
  Lanes lanes(2);
  for (const uint32_t depth : {3u, 9u, 5u}) lanes.push(0, depth, 100 + depth);
  lanes.push(1, 20, 120);
  EXPECT_EQ(lanes.take_own(0, kAny), 109u);
  EXPECT_EQ(lanes.take_own(0, [](uint32_t node) { return node != 105; }), 103u) << "the next that is ready";
  EXPECT_EQ(lanes.take_own(0, [](uint32_t) { return false; }), dpor::kNone);
  EXPECT_EQ(lanes.take_own(0, kAny), 105u);
  EXPECT_EQ(lanes.take_own(0, kAny), dpor::kNone);
  EXPECT_EQ(lanes.size(), 1u);
}

TEST(Lanes, OneWithNothingTakesTheShallowestOfAnother) {
  Lanes lanes(3);
  lanes.push(0, 7, 107);
  lanes.push(0, 0, 100);
  lanes.push(1, 4, 104);
  EXPECT_EQ(lanes.take_from_others(2, [](uint32_t node) { return node != 100; }), 104u);
  EXPECT_EQ(lanes.take_from_others(2, kAny), 100u);
  EXPECT_EQ(lanes.take_from_others(0, kAny), dpor::kNone) << "its own are not somebody else's";
  EXPECT_EQ(lanes.take_from_others(2, kAny), 107u);
  EXPECT_EQ(lanes.size(), 0u);
}

class LanesZoo : public testing::TestWithParam<TraceRow> {};

TEST_P(LanesZoo, RunTheExecutionsOfOneLane) {
  for (const unsigned lanes : {2u, 5u, 64u}) {
    const auto strategy = in_lanes(lanes);
    const Reduced r = reduce(*strategy, GetParam().program, {.window = 50});
    EXPECT_EQ(r.result.traces, GetParam().traces) << lanes;
    EXPECT_EQ(r.traces.executions, GetParam().traces) << lanes;
    EXPECT_TRUE(r.result.complete()) << lanes << ": " << int(r.result.ending);
    EXPECT_EQ(strategy->status().frontier_nodes, 0u);
    const auto optimal = optimal_in_lanes(lanes);
    const Reduced o = reduce(*optimal, GetParam().program, {.window = 50});
    EXPECT_EQ(o.result.traces, GetParam().traces) << lanes;
    EXPECT_EQ(o.traces.blocked, 0u) << lanes;
    if (o.traces.all_end_well) {
      EXPECT_EQ(o.result.executions, GetParam().traces) << lanes;
    }
    EXPECT_TRUE(o.result.complete()) << lanes << ": " << int(o.result.ending);
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, LanesZoo, testing::ValuesIn(trace_rows()), test_name);

TEST(LanesDifferential, FindTheTracesOfDfs) {
  uint64_t seed = 0, claimed = 0, exact = 0;
  for_random_programs([&](const Program& p, const Traces& all) {
    ++seed;
    const auto strategy = in_lanes(static_cast<unsigned>(2 + seed % 12));
    const Reduced r = reduce(*strategy, p, {.window = 1 + seed % 17});
    expect_traces(r, all, p);
    const auto optimal = optimal_in_lanes(static_cast<unsigned>(2 + seed % 12), 1 + seed % 23);
    const Reduced o = reduce(*optimal, p, {.window = 1 + seed % 17});
    expect_optimal(o, all, p, exact);
    claimed += r.result.claim.traces.has_value();
  });
  EXPECT_GT(claimed, seed / 2);
  EXPECT_GT(exact, seed / 2);
}

TEST(LanesDifferential, FourThreads) {
  uint64_t used = 0, exact = 0;
  for (uint64_t seed = 0; seed < random_programs(150); ++seed) {
    const Program p = random_program_of_four(seed);
    if (total(count_schedules(p)) > 4000) continue;
    ++used;
    const auto everything = dfs(), some = in_lanes(static_cast<unsigned>(2 + seed % 20));
    const Reduced all = reduce(*everything, p), r = reduce(*some, p, {.window = 1 + seed % 40});
    expect_traces(r, all.traces, p);
    const auto optimal = optimal_in_lanes(static_cast<unsigned>(2 + seed % 20), 1 + seed % 50);
    const Reduced o = reduce(*optimal, p, {.window = 1 + seed % 40});
    expect_optimal(o, all.traces, p, exact);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(used, 30u);
  EXPECT_GT(exact, used / 2);
}

// Nothing but loads, stores, increments and locks, so that wakeup trees stay in lanes.
Program plain_program(uint64_t seed) {
  std::mt19937 dice(static_cast<unsigned>(seed));
  const auto below = [&dice](unsigned n) { return static_cast<int>(dice() % n); };
  Program p{.name = "plain " + std::to_string(seed), .threads = {}};
  for (int threads = 3 + below(2), t = 0; t < threads; ++t) {
    Code code;
    for (int steps = 1 + below(threads == 3 ? 3 : 2), i = 0; i < steps; ++i) {
      const int x = below(2);
      switch (below(5)) {
        case 0:
        case 1: code.push_back(ld(x, i)); break;
        case 2:
        case 3: code.push_back(st(x, 10 * t + i + 1)); break;
        default: code.insert(code.end(), {lock(2), ld(x, i), unlock(2)}); break;
      }
    }
    p.threads.push_back(code);
  }
  return p;
}

template <class Body>
void for_plain_programs(Body body) {
  for (uint64_t seed = 0; seed < random_programs(200); ++seed) {
    const Program p = plain_program(seed);
    if (total(count_schedules(p)) > 4000) continue;
    const auto everything = dfs();
    body(p, reduce(*everything, p).traces, seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(LanesDifferential, PlainProgramsRunEveryTraceExactlyOnce) {
  uint64_t used = 0, exact = 0;
  for_plain_programs([&](const Program& p, const Traces& all, uint64_t seed) {
    ++used;
    const auto optimal = optimal_in_lanes(static_cast<unsigned>(2 + seed % 20), 1 + seed % 5);
    const Reduced r = reduce(*optimal, p, {.window = 1 + seed % 40});
    expect_optimal(r, all, p, exact);
  });
  EXPECT_EQ(exact, used);
  EXPECT_GT(used, 50u);
}

// Where the tree gets too large, only what is leftmost is run, until what waited for that is gone.
TEST(LanesDifferential, PlainProgramsWithLittleMemory) {
  uint64_t used = 0;
  for_plain_programs([&](const Program& p, const Traces& all, uint64_t seed) {
    ++used;
    const auto optimal = optimal_in_lanes(static_cast<unsigned>(2 + seed % 20), 1 + seed % 5);
    optimal->limit_memory(4 * (3 + seed % 30) * sizeof(dpor::ChoiceTree::Node));
    FakeExecutor executor(p, {});
    Traces traces;
    for (size_t under_way = 0;;) {
      for (; under_way < 1 + seed % 40; ++under_way) {
        const std::optional<Plan> plan = optimal->next();
        if (!plan) break;
        executor.submit(*plan);
      }
      if (under_way == 0) break;
      const auto trace = executor.next([] { return false; });
      ASSERT_TRUE(trace);
      --under_way;
      (void)traces.check(*trace);
      optimal->learn(*trace);
    }
    ASSERT_TRUE(optimal->claim().finished) << p.name;
    ASSERT_EQ(traces.distinct(), all.distinct()) << p.name;
    ASSERT_EQ(traces.executions, all.cost.size()) << p.name;
  });
  EXPECT_GT(used, 50u);
}

// What is left of a finished sequence may still have something to plan below it.
TEST(NegativeControl, ForgettingWhatSequencesLedToLosesTraces) {
  int lost = 0;
  for_plain_programs([&lost](const Program& p, const Traces& all, uint64_t) {
    OptimalDporOptions options;
    options.lanes = 8;
    options.before_lanes = 1;
    options.forget_guided = true;
    const auto wrong = make_optimal_dpor(options);
    lost += reduce(*wrong, p, {.window = 8}).traces.distinct() != all.distinct();
  });
  EXPECT_GT(lost, 0);
}

}  // namespace
}  // namespace lockstep::fake
