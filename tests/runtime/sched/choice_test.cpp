// Who goes on at a scheduling point: the default schedule, a plan's deviations, sleep sets, random choice, fairness.
#include <gtest/gtest.h>

#include <map>

#include "fake_threads.hpp"

namespace lockstep::rt {
namespace {

void load_twice() {
  load(1);
  load(1);
}
void store_twice() {
  store(1);
  store(1);
}

Plan with(std::vector<Delta> deltas) {
  Plan plan;
  plan.deltas = std::move(deltas);
  return plan;
}

TEST(Choice, TheDefaultKeepsTheRunningThread) {
  EXPECT_EQ(run({}, {load_twice, load_twice, load_twice}).threads, "1 1 2 2 3 3");
}

TEST(Choice, ADeltaTakesAnotherThreadAndTheDefaultKeepsThat) {
  EXPECT_EQ(run(with({{1, 2}}), {load_twice, load_twice}).threads, "1 2 2 1");
  EXPECT_EQ(run(with({{0, 2}, {1, 1}}), {load_twice, load_twice}).threads, "2 1 1 2");
}

TEST(Choice, APlanThatCannotBeFollowedEndsTheExecution) {
  EXPECT_EQ(run(with({{3, 1}}), {load_twice, load_twice}).outcome, Outcome::Diverged);
  Plan tentative = with({{3, 1, false, true}});
  EXPECT_EQ(run(tentative, {load_twice, load_twice}).outcome, Outcome::Diverged) << "a thread that has ended";
}

TEST(Choice, EveryStepSaysWhoCouldHaveBeenChosen) {
  const FakeRun result = run({}, {load_twice, load_twice});
  ASSERT_EQ(result.steps.size(), 4u);
  EXPECT_EQ(result.steps[0].enabled, 0b110u);
  EXPECT_EQ(result.steps[3].enabled, 0b100u);
}

TEST(Choice, AYieldLetsTheNextThreadGoOnInCyclicOrder) {
  const Body yields = [] {
    load(1);
    yield();
    load(1);
  };
  EXPECT_EQ(run({}, {yields, yields, load_twice}).threads, "1 1 2 2 3 3 1 2");
}

TEST(Choice, ASleepingThreadIsNotChosenUntilADependentStep) {
  Plan plan;
  plan.sleep_at = 0;
  plan.sleep = {ThreadId{1}};
  const FakeRun woken = run(plan, {load_twice, store_twice});
  EXPECT_EQ(woken.outcome, Outcome::Ok);
  EXPECT_EQ(woken.threads, "2 2 1 1");
  const FakeRun asleep = run(plan, {load_twice, load_twice});
  EXPECT_EQ(asleep.outcome, Outcome::Redundant);
  EXPECT_EQ(asleep.redundancy, Redundancy::AllAsleep);
  EXPECT_EQ(asleep.threads, "2 2");
}

TEST(Choice, RandomChoiceIsUniformAndRepeatsItself) {
  std::map<std::string, int> seen;
  constexpr int kRuns = 4000;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    Plan plan;
    plan.policy = Policy::Random;
    plan.seed = seed;
    ++seen[run(plan, {[] { load(1); }, [] { load(1); }, [] { load(1); }}).threads];
  }
  EXPECT_EQ(seen.size(), 6u);
  for (const auto& [threads, count] : seen) EXPECT_NEAR(count, kRuns / 6, 120) << threads;
  Plan plan;
  plan.policy = Policy::Random;
  plan.seed = 7;
  EXPECT_EQ(run(plan, {load_twice, load_twice}).threads, run(plan, {load_twice, load_twice}).threads);
}

TEST(Choice, WhoYieldsAgainAndAgainHasToLetOthersGoFirst) {
  const Body polls = [] {
    for (int i = 0; i < 6; ++i) yield();
  };
  const FakeRun result = run(with({{1, 1}, {2, 1}, {3, 1}, {4, 1}}), {polls, load_twice});
  EXPECT_TRUE(result.reasons.has(Reason::Fairness)) << result.threads;
  EXPECT_NE(result.outcome, Outcome::Ok) << "the plan asks for a thread that fairness holds back";
}

TEST(Choice, ALongTurnEndsAndMayGoOn) {
  const Body works = [] {
    for (int i = 0; i < 5'000; ++i) store(1);
  };
  const auto first_turn = [&](const FakeRun& result) {
    size_t turn = 0;
    while (result.steps[turn].thread == ThreadId{1}) ++turn;
    return turn;
  };
  const FakeRun result = run({}, {works, works});
  const auto turn = static_cast<uint32_t>(first_turn(result));
  EXPECT_GE(turn, kLongTurn);
  EXPECT_LE(turn, 2 * kLongTurn);
  EXPECT_TRUE(result.steps[turn - 1].flags & Step::kYield) << "so the switch is free";
  EXPECT_EQ(result.offered[turn], 0b110u) << "the thread may go on";
  EXPECT_GE(first_turn(run(with({{turn, 1}}), {works, works})), 2 * kLongTurn - 1);
}

TEST(Choice, APolicyAppliesToItsRecords) {
  Plan plan;
  const Body stores = [] {
    for (int i = 0; i < 3; ++i) store(1);
  };
  plan.policy = Policy::Priorities;
  plan.extra = {3, 0, 0, 9};  // thread 2 first
  EXPECT_EQ(run(plan, {stores, stores}).threads, "2 2 2 1 1 1");
  plan.policy_at = 1;
  EXPECT_EQ(run(plan, {stores, stores}).threads, "1 2 2 2 1 1");
  plan.policy = Policy::Random;
  plan.extra.clear();
  plan.policy_until = 1;
  EXPECT_EQ(run(plan, {stores, stores}).threads, "1 1 1 2 2 2");
}

TEST(Choice, NobodyEnabledIsADeadlock) {
  const Body blocks = [] { scheduler().reach(OpKind::Lock, nullptr, 0, false); };
  EXPECT_EQ(run({}, {blocks}).outcome, Outcome::Deadlock);
}

}  // namespace
}  // namespace lockstep::rt
