// Random schedulers take every schedule as often as theory says.
#include <gtest/gtest.h>

#include <algorithm>

#include "frequencies.hpp"
#include "known.hpp"
#include "model/policy_input.hpp"
#include "search/strategies/pct.hpp"
#include "search/strategies/strategy_registry.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

constexpr uint64_t kExecutions = 40'000;

Frequencies sample(const Program& program, Plan plan) {
  Frequencies seen;
  for (uint64_t i = 0; i < kExecutions; ++i) {
    plan.seed = i;
    seen[letters_of(execute(program, plan))] += 1.0 / kExecutions;
  }
  return seen;
}

Budget at_most(uint64_t executions) {
  Budget budget;
  budget.executions = executions;
  return budget;
}

Plan pct(unsigned depth, uint32_t horizon) {
  Plan plan;
  plan.policy = Policy::Pct;
  plan.pct_depth = static_cast<uint16_t>(depth);
  plan.pct_horizon = horizon;
  return plan;
}

Plan of(Policy policy) {
  Plan plan;
  plan.policy = policy;
  return plan;
}

TEST(Pct, DrawsEveryScheduleAsOftenAsEnumeratingAllDrawsSays) {
  for (unsigned depth = 1; depth <= 4; ++depth)
    for (const uint32_t horizon : {3u, 6u}) {
      SCOPED_TRACE(depth);
      expect_frequencies(sample(same_write(2, 3), pct(depth, horizon)), ExactPct(3, 3, depth, horizon).frequencies(),
                         kExecutions);
    }
}

TEST(Pct, HitsABugOfItsDepthAtLeastAsOftenAsPromised) {
  // One thread of two steps, one of one: the bug is the one step between the two.
  const Program between{"between", {{st(0, 1), st(0, 2)}, {st(0, 3)}}};
  EXPECT_NEAR(sample(between, pct(2, 3))["aba"], 1 / 6.0, 0.01);  // the promise is exact here: n = 2, k = 3
  EXPECT_EQ(sample(between, pct(1, 3)).count("aba"), 0u);
  // Two preemptions need depth 3.
  Frequencies twice = sample(same_write(2, 2), pct(3, 4));
  EXPECT_NEAR(twice["abab"] + twice["baba"], 1 / 12.0, 0.01);
  EXPECT_GE(twice["abab"] + twice["baba"], 1 / 32.0);
  EXPECT_EQ(sample(same_write(2, 2), pct(2, 4)).count("abab"), 0u);
}

TEST(Pct, SaysHowLikelyItMissedABug) {
  const auto strategy = make_pct({.depth = 2});
  const Explored e = explore(*strategy, same_write(2, 2), {}, at_most(201));
  // Of four decisions two or three are between both threads; the first executions did not know that.
  ASSERT_TRUE(e.result.claim.chance);
  const Chance& chance = *e.result.claim.chance;
  EXPECT_NEAR(chance.missed, 7.44e-11, 1e-13);
  EXPECT_EQ(chance.depth, 2u);
  EXPECT_EQ(chance.threads, 3u);
  EXPECT_EQ(chance.decisions, 3u);
  EXPECT_EQ(chance.executions, 198u);
  EXPECT_NEAR(pct_miss_probability(2, 3, 3, 198), std::pow(1 - 1 / 9.0, 198), 1e-15);
  EXPECT_EQ(e.result.verdict, Verdict::Pass);
  EXPECT_FALSE(e.result.complete());
}

TEST(Pct, LetsAThreadThatWaitsByYieldingNotStarveTheOthers) {
  const Program polling{"polling",
                        {{ld(0, 0), yield(), jump([](const Registers& r) -> Value { return r[0] == 0 ? 0 : -1; })},
                         {st(1, 1), st(1, 2), st(0, 1)}}};
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Plan plan = pct(3, 8);
    plan.seed = seed;
    plan.max_steps = 100;
    EXPECT_EQ(execute(polling, plan).view().outcome(), Outcome::Ok) << seed;
  }
}

TEST(Pos, RedrawsAtConflictsOnly) {
  expect_frequencies(sample(same_write(2, 2), of(Policy::Pos)), exact_pos_conflicting(), kExecutions);
  expect_frequencies(sample(independent(2, 2), of(Policy::Pos)), exact_pos_independent(), kExecutions);
}

constexpr ThreadId kA{1}, kB{2};

Plan surw(const std::vector<ExpectedOperations>& expected, ObjectId focus = kNoObject) {
  Plan plan = of(Policy::Surw);
  for (const ExpectedOperations& e : expected) plan.extra.push_back(e.word());
  plan.focus = focus;
  return plan;
}

TEST(Surw, TakesEveryOrderOfAllOperationsEquallyOftenIfItKnowsTheirNumber) {
  const Frequencies seen = sample(same_write(2, 3), surw({{kA, 3}, {kB, 3}}));
  Frequencies exact;
  std::string order = "aaabbb";
  do exact[order] = 1 / 20.0;
  while (std::next_permutation(order.begin(), order.end()));
  expect_frequencies(seen, exact, kExecutions);
  // The walk without that knowledge does not.
  EXPECT_GT(sample(same_write(2, 3), of(Policy::Random))["aaabbb"], 0.1);
}

// How often each order of the operations on variable 0 came up.
Frequencies orders_on_first_variable(const Program& program, Plan plan) {
  const ObjectId object = object_of(OpKind::Store, 0);
  Frequencies seen;
  for (plan.seed = 0; plan.seed < kExecutions; ++plan.seed) {
    std::string order;
    const Trace trace = execute(program, plan);
    for (const Step& step : trace.view().steps())
      if (!step.is_note() && step.object == object) order += static_cast<char>('a' + index_of(step.thread) - 1);
    seen[order] += 1.0 / kExecutions;
  }
  return seen;
}

TEST(Surw, TakesEveryOrderOfTheOperationsOnItsObjectEquallyOftenWhateverElseThereIs) {
  // b has much to do before it comes to the object: by itself it nearly always comes last.
  const Program late{"late",
                     {{st(0, 1), st(0, 2)}, {st(1, 1), st(1, 2), st(1, 3), st(1, 4), st(1, 5), st(1, 6), st(0, 3)}}};
  const Frequencies third = {{"aab", 1 / 3.0}, {"aba", 1 / 3.0}, {"baa", 1 / 3.0}};
  expect_frequencies(orders_on_first_variable(late, surw({{kA, 2}, {kB, 1}}, object_of(OpKind::Store, 0))), third,
                     kExecutions);
  EXPECT_LT(orders_on_first_variable(late, of(Policy::Random))["baa"], 0.05);
}

TEST(Surw, GoesOnWhenTheThreadItWaitsForCannot) {
  // c is expected to come first and is blocked until somebody else has been there.
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Plan plan = surw({{kA, 1}, {kB, 9}}, object_of(OpKind::Lock, 0));
    plan.seed = seed;
    EXPECT_NE(execute(philosophers(3), plan).view().outcome(), Outcome::Diverged);
  }
}

TEST(Surw, SaysHowLikelyItMissedAnOrder) {
  StrategyOptions options;
  options.spec = "surw";
  auto strategy = make_strategy(options);
  const Explored e = explore(**strategy, same_write(2, 2), {}, at_most(101));
  // One object with six orders, and all operations: 1/2 * 1/6 each time.
  ASSERT_TRUE(e.result.claim.chance);
  const Chance& chance = *e.result.claim.chance;
  EXPECT_EQ(chance.of, Chance::Of::OrderOfOneObject);
  EXPECT_NEAR(chance.missed, 0.000166, 1e-6);
  EXPECT_EQ(chance.objects, 1u);
  EXPECT_NEAR(chance.orders, 6, 1e-9);
  EXPECT_EQ(chance.executions, 100u);
  EXPECT_NEAR(std::pow(1 - 1 / 12.0, 100), 0.000166, 1e-6);
  EXPECT_EQ(e.result.verdict, Verdict::Pass);
}

TEST(RandomStrategies, AreDeterminedByTheirSeed) {
  for (const char* spec : {"pct:depth=3", "pos", "surw", "seek", "revisit", "random"}) {
    const auto run = [&](uint64_t seed) {
      StrategyOptions options;
      options.spec = spec;
      options.seed = seed;
      auto strategy = make_strategy(options);
      return explore(**strategy, philosophers(3), {.window = 5}, at_most(100)).seen.schedules;
    };
    EXPECT_EQ(run(1), run(1)) << spec;
    EXPECT_NE(run(1), run(2)) << spec;
  }
}

TEST(RandomStrategies, ReachEveryScheduleOfASmallProgram) {
  for (const char* spec : {"pct:depth=4", "pos", "surw", "revisit", "random"}) {
    StrategyOptions options;
    options.spec = spec;
    auto strategy = make_strategy(options);
    std::vector<Schedule> seen = explore(**strategy, same_write(2, 3), {}, at_most(5000)).sorted();
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    EXPECT_EQ(seen.size(), std::string(spec) == "pct:depth=4" ? 18u : 20u) << spec;
  }
}

TEST(Revisit, BranchesOffEarlierExecutionsWhereTheyHaveBeen) {
  StrategyOptions options;
  options.spec = "revisit";
  const auto strategy = std::move(*make_strategy(options));
  std::vector<std::vector<Step>> earlier;
  int branches = 0;
  for (int i = 0; i < 200; ++i) {
    const std::optional<Plan> plan = strategy->next();
    ASSERT_TRUE(plan);
    const Trace trace = execute(same_write(3, 5), *plan);
    ASSERT_EQ(trace.view().outcome(), Outcome::Ok);
    const std::span<const Step> steps = trace.view().steps();
    const auto begins_alike = [&](const std::vector<Step>& other) {
      return std::equal(steps.begin(), steps.begin() + plan->policy_at, other.begin(),
                        [](const Step& a, const Step& b) { return a.did_the_same_as(b); });
    };
    if (plan->policy_at > 0) {
      ++branches;
      EXPECT_TRUE(std::any_of(earlier.begin(), earlier.end(), begins_alike));
    }
    earlier.emplace_back(steps.begin(), steps.end());
    strategy->learn(trace);
  }
  EXPECT_GT(branches, 170);  // fifteen of sixteen
  EXPECT_LT(branches, 199);
}

}  // namespace
}  // namespace lockstep::fake
