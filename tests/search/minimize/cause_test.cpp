// The orders that a failure depends on: every one of them reversed passes, and no other does.
#include "search/minimize/cause.hpp"

#include <gtest/gtest.h>

#include "model/schedule.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

const ShrinkBudget kUnhurried{2000, std::chrono::hours(1)};

Trace first_failure(const Program& program) {
  const auto strategy = icb();
  FakeExecutor executor(program);
  OutcomeAnalysis outcome;
  Analysis* analyses[] = {&outcome};
  const Exploration result = Explorer(*strategy, executor, analyses, {}, false, {}).run();
  return execute(program, result.bugs.at(0).plan);
}

Cause cause_of(const Program& program, const Trace& failing, ShrinkBudget budget = kUnhurried,
               uint32_t max_steps = 1000) {
  FakeExecutor executor(program);
  const Outcome outcome = failing.view().outcome();
  const auto same = [outcome](const Trace& t) { return t.view().outcome() == outcome; };
  return find_cause(executor, failing, max_steps, same, budget);
}

TEST(Cause, ALostUpdateNeedsBothReadsBeforeTheOtherWrite) {
  const Program program = increment(2);
  const Trace failing = first_failure(program);
  const Cause cause = cause_of(program, failing);
  ASSERT_FALSE(cause.orders.empty());
  for (const NeededOrder& order : cause.orders) {
    const Step &first = failing.view().steps()[order.first], &second = failing.view().steps()[order.second];
    EXPECT_NE(first.thread, second.thread);
    EXPECT_TRUE(dependent(first.operation(), second.operation()));
    EXPECT_EQ(first.kind, OpKind::Load) << "a thread that has read the old value writes after the other one";
    EXPECT_EQ(second.kind, OpKind::Store);
  }
}

TEST(Cause, ADeadlockDependsOnTheLocksThatWereNeverTaken) {
  const Program program = abba();
  const Trace failing = first_failure(program);
  ASSERT_EQ(failing.view().outcome(), Outcome::Deadlock);
  const Cause cause = cause_of(program, failing);
  ASSERT_FALSE(cause.orders.empty());
  for (const NeededOrder& order : cause.orders) EXPECT_GE(order.second, failing.view().steps().size());
}

TEST(Cause, WhatFailsInEveryOrderDependsOnNone) {
  Program program = increment(2);
  for (auto& thread : program.threads) thread.push_back(check([](const Registers&) { return Value{0}; }, "always"));
  const Trace failing = first_failure(program);
  const Cause cause = cause_of(program, failing);
  EXPECT_TRUE(cause.orders.empty());
  EXPECT_TRUE(cause.passing.empty());
}

// The failing execution ends before the other thread has done what was needed.
TEST(Cause, AThreadMayHaveToGoOnFirst) {
  Program program{"late", {}};
  program.threads = {{ld(0, 0), check([](const Registers& r) { return Value{r[0] == 1}; }, "set")},
                     {st(1, 1), st(0, 1)}};
  const Trace failing = execute(program, Plan{});
  ASSERT_EQ(failing.view().outcome(), Outcome::Assertion);
  const Cause cause = cause_of(program, failing);
  ASSERT_EQ(cause.orders.size(), 1u);
  EXPECT_GE(cause.orders[0].second, failing.view().steps().size());
  EXPECT_EQ(execute(program, plan_of(cause.passing)).view().outcome(), Outcome::Ok);
}

// Between two reads another thread writes twice: to reverse one of the writes alone does not help.
TEST(Cause, ASwitchMayReverseSeveralOrders) {
  Program program{"torn", {}};
  program.threads = {
      {ld(0, 0), ld(0, 1), check([](const Registers& r) { return Value{r[0] == r[1]}; }, "the same twice")},
      {st(0, 1), st(0, 2)}};
  const Trace failing = first_failure(program);
  const Cause cause = cause_of(program, failing);
  EXPECT_TRUE(cause.orders.empty());
  EXPECT_GT(cause.reversed, 0u);
  ASSERT_FALSE(cause.passing.empty());
  EXPECT_EQ(execute(program, plan_of(cause.passing)).view().outcome(), Outcome::Ok);
  const ThreadId goes_on = cause.passing.view().steps()[cause.departs].thread;
  ASSERT_GT(cause.departs, 0u);
  EXPECT_EQ(failing.view().steps()[cause.departs - 1].thread, goes_on) << "it is preempted in the failing execution";
}

// A loop repeats its conflicts: with a small budget those that differ are tried.
TEST(Cause, OfRepeatedConflictsTheFirstAndTheLastComeFirst) {
  Program program = increment(2);
  for (Code& thread : program.threads) thread.insert(thread.end(), 50, ld(0, 1));
  const Trace failing = first_failure(program);
  const Cause few = cause_of(program, failing, {6, std::chrono::hours(1)});
  EXPECT_FALSE(few.orders.empty());
  EXPECT_GT(few.left_out, 0u);
}

// The nearest execution that passes is one: it can be run again, and departs where it is said to.
TEST(Cause, TheNearestPassingExecutionPasses) {
  for (const Program& program : {increment(2), increment(3), abba(), philosophers(3)}) {
    const Trace failing = first_failure(program);
    const Cause cause = cause_of(program, failing);
    ASSERT_FALSE(cause.passing.empty()) << program.name;
    EXPECT_EQ(execute(program, plan_of(cause.passing)).view().outcome(), Outcome::Ok) << program.name;
    const auto failed = failing.view().steps(), passed = cause.passing.view().steps();
    ASSERT_LT(cause.departs, passed.size()) << program.name;
    if (cause.departs < failed.size()) {
      EXPECT_NE(failed[cause.departs].thread, passed[cause.departs].thread);
    }
    for (uint32_t i = 0; i < cause.departs; ++i) EXPECT_EQ(failed[i].thread, passed[i].thread) << program.name;
  }
}

TEST(Cause, KeepsWithinItsBudget) {
  const Program program = philosophers(4);
  const Trace failing = first_failure(program);
  const Cause none = cause_of(program, failing, {0, std::chrono::hours(1)});
  EXPECT_EQ(none.reversed, 0u);
  EXPECT_TRUE(none.orders.empty());
  EXPECT_GT(none.left_out, 0u);
}

// Only its end is looked at: reversing every conflict of a long execution would take for ever.
TEST(Cause, OfALongExecutionIsLookedForAtItsEnd) {
  constexpr uint32_t kLong = 8'000;
  Program program = increment(2);
  Code& first = program.threads[0];
  first.insert(first.begin(), kLong, st(1, 1));
  Plan lost_update;
  lost_update.max_steps = 2 * kLong;
  const Trace passing = execute(program, lost_update);
  const auto steps = passing.view().steps();
  const auto load = std::find_if(steps.begin(), steps.end(), [](const Step& s) { return s.kind == OpKind::Load; });
  ASSERT_NE(load, steps.end());
  lost_update.deltas = {
      {static_cast<uint32_t>(load - steps.begin()) + 1, static_cast<uint16_t>(index_of(thread_id(1)))}};
  const Trace failing = execute(program, lost_update);
  ASSERT_EQ(failing.view().outcome(), Outcome::Assertion);
  const Cause cause = cause_of(program, failing, {300, std::chrono::hours(1)}, 2 * kLong);
  EXPECT_FALSE(cause.orders.empty());
  EXPECT_GE(cause.left_out, kLong / 2);
  for (const NeededOrder& order : cause.orders) EXPECT_GE(order.first, kLong);
}

}  // namespace
}  // namespace lockstep::fake
