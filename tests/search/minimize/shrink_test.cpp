// Shrinking keeps the failure and loses everything it does not need.
#include "search/minimize/shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/policy_input.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

const ShrinkBudget kUnhurried{2000, std::chrono::hours(1)};  // however slow the machine

// The first failing execution of a random walk.
std::optional<Trace> fail_at_random(const Program& program, uint64_t from) {
  for (uint64_t seed = from; seed < from + 2000; ++seed) {
    Plan plan;
    plan.policy = Policy::Random;
    plan.seed = seed + 1;
    Trace trace = execute(program, plan);
    if (trace.view().outcome() != Outcome::Ok) return trace;
  }
  return std::nullopt;
}

// Fewest preemptions of any failing schedule.
uint32_t fewest(const Program& program) {
  const auto strategy = icb();
  FakeExecutor executor(program);
  OutcomeAnalysis outcome;
  Analysis* analyses[] = {&outcome};
  return Explorer(*strategy, executor, analyses, {}, false, {}).run().bugs.at(0).preemptions;
}

TEST(Shrink, FindsTheFewestPreemptionsWhateverItStartsFrom) {
  for (const Program& program :
       {increment(2), increment(3), philosophers(3), philosophers(4), philosophers(5), philosophers(6), abba()}) {
    const uint32_t least = fewest(program);
    for (uint64_t from = 0; from < 10'000; from += 1000) {
      const auto failing = fail_at_random(program, from);
      ASSERT_TRUE(failing) << program.name;
      const Outcome outcome = failing->view().outcome();
      FakeExecutor executor(program);
      const auto same = [&](const Trace& t) { return t.view().outcome() == outcome; };
      const auto shrunk = shrink(executor, *failing, 1000, same, {}, kUnhurried);
      const Complexity result = shrunk ? shrunk->complexity : complexity_of(*failing);
      EXPECT_EQ(result.preemptions, least) << program.name;
      if (!shrunk) continue;
      EXPECT_LE(shrunk->executions, 2000u);
      EXPECT_LT(result, complexity_of(*failing));
      const Trace again = execute(program, plan_of(shrunk->trace));
      EXPECT_EQ(schedule_of(again), schedule_of(shrunk->trace)) << "its deviations repeat it";
      EXPECT_EQ(again.view().outcome(), outcome);
    }
  }
}

TEST(Shrink, KeepsWithinItsBudgetAndNeverMakesItWorse) {
  const Program program = philosophers(4);
  const auto failing = fail_at_random(program, 0);
  ASSERT_TRUE(failing);
  for (const uint64_t executions : {0u, 1u, 5u, 20u}) {
    FakeExecutor executor(program);
    const auto same = [](const Trace& t) { return t.view().outcome() == Outcome::Deadlock; };
    const auto shrunk = shrink(executor, *failing, 1000, same, {}, {executions, std::chrono::hours(1)});
    if (shrunk) {
      EXPECT_LE(shrunk->executions, executions);
      EXPECT_LT(shrunk->complexity, complexity_of(*failing));
    }
    EXPECT_EQ(executor.in_flight(), 0u);
  }
}

// A lost update among thousands of switches that do not matter: parts are left out before single switches.
TEST(Shrink, ALongScheduleTakesFewExecutions) {
  const auto one_more = [](const Registers& r) { return r[0] + 1; };
  std::vector<Instruction> thread;
  for (int i = 0; i < 300; ++i) thread.push_back(st(1, 1));
  thread.push_back(ld(0, 0));
  thread.push_back(st(0, one_more));
  for (int i = 0; i < 300; ++i) thread.push_back(st(1, 1));
  Program program{"long", {thread, thread, thread}};
  program.final = [](const std::vector<Value>& memory) { return memory.at(0) == 3; };
  const auto failing = fail_at_random(program, 0);
  ASSERT_TRUE(failing);
  ASSERT_GT(complexity_of(*failing).preemptions, 500u);
  FakeExecutor executor(program);
  const auto same = [](const Trace& t) { return t.view().outcome() != Outcome::Ok; };
  const auto shrunk = shrink(executor, *failing, 100'000, same, {}, {120, std::chrono::hours(1)});
  ASSERT_TRUE(shrunk);
  EXPECT_LE(shrunk->complexity.preemptions, 3u);
}

TEST(Shrink, EndsWhenItIsStopped) {
  const Program program = philosophers(4);
  const auto failing = fail_at_random(program, 0);
  ASSERT_TRUE(failing);
  FakeExecutor executor(program);
  const auto same = [](const Trace& t) { return t.view().outcome() == Outcome::Deadlock; };
  ShrinkBudget budget = kUnhurried;
  unsigned asked = 0;
  budget.stop = [&asked] { return ++asked > 10; };
  const auto shrunk = shrink(executor, *failing, 1000, same, {}, budget);
  EXPECT_LE(shrunk ? shrunk->executions : 0, 10u);
}

// One thread reads twice what seven others write: any one of them is enough.
TEST(Shrink, InvolvesNoMoreThreadsThanNeeded) {
  Program program{.name = "read twice", .threads = {}};
  program.threads.push_back(
      {ld(0, 0), ld(0, 1), check([](const Registers& r) { return Value{r[0] == r[1]}; }, "equal")});
  for (int i = 1; i < 8; ++i) program.threads.push_back({st(0, i)});
  for (uint64_t from = 0; from < 10'000; from += 1000) {
    const auto failing = fail_at_random(program, from);
    ASSERT_TRUE(failing);
    FakeExecutor executor(program);
    const auto same = [](const Trace& t) { return t.view().outcome() == Outcome::Assertion; };
    const auto shrunk = shrink(executor, *failing, 1000, same, {}, kUnhurried);
    const Complexity result = shrunk ? shrunk->complexity : complexity_of(*failing);
    EXPECT_EQ(result.preemptions, 1u);
    EXPECT_EQ(result.involved, 2u);
  }
}

// A use of freed memory or a race lets the program go on to its end: analyses notice, the program does not.
TEST(Shrink, SimplifiesWhatTheProgramDoesNotNotice) {
  Program program{.name = "lost update", .threads = {}};
  for (int i = 0; i < 4; ++i) program.threads.push_back({ld(0, 0), st(0, i), ld(1, 0), st(1, i)});
  const auto lost = [](const Trace& t) {  // thread 1 loads and stores, with a store of another one between
    std::vector<ThreadId> first;
    for (const Step& step : t.view().steps())
      if (!step.is_note() && first.size() < 8 && std::count(first.begin(), first.end(), step.thread) < 2)
        first.push_back(step.thread);
    const auto load = std::find(first.begin(), first.end(), ThreadId{1});
    return load != first.end() && std::next(load) != first.end() && *std::next(load) != ThreadId{1} &&
           std::count(load, std::find(std::next(load), first.end(), ThreadId{1}), *std::next(load)) == 2;
  };
  int tried = 0;
  for (uint64_t seed = 1; seed < 200 && tried < 10; ++seed) {
    Plan plan;
    plan.policy = Policy::Random;
    plan.seed = seed;
    const Trace trace = execute(program, plan);
    ASSERT_EQ(trace.view().outcome(), Outcome::Ok);
    if (!lost(trace) || complexity_of(trace).preemptions < 3) continue;
    ++tried;
    FakeExecutor executor(program);
    const auto shrunk = shrink(executor, trace, 1000, lost, {}, kUnhurried);
    ASSERT_TRUE(shrunk);
    EXPECT_EQ(shrunk->complexity.preemptions, 1u);
    EXPECT_TRUE(lost(shrunk->trace));
  }
  EXPECT_EQ(tried, 10);
}

TEST(Shrink, IsTheSameEveryTime) {
  const Program program = philosophers(5);
  const auto failing = fail_at_random(program, 0);
  ASSERT_TRUE(failing);
  const auto once = [&] {
    FakeExecutor executor(program);
    const auto same = [](const Trace& t) { return t.view().outcome() == Outcome::Deadlock; };
    return shrink(executor, *failing, 1000, same, {}, kUnhurried);
  };
  const auto a = once(), b = once();
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->executions, b->executions);
  EXPECT_EQ(schedule_of(a->trace), schedule_of(b->trace));
}

TEST(Shrink, AsksWhetherItIsTheSameFailure) {
  const Program program = philosophers(3);
  const auto failing = fail_at_random(program, 0);
  ASSERT_TRUE(failing);
  FakeExecutor executor(program);
  EXPECT_FALSE(shrink(
      executor, *failing, 1000, [](const Trace&) { return false; }, {}, kUnhurried));
}

TEST(Guided, FollowsWishesAndSkipsWhatCannotBeDone) {
  Plan plan;
  plan.policy = Policy::Guided;
  const ThreadId a{1}, b{2}, nobody{7};
  plan.extra = GuidedSchedule{.segments = {{b, 1}, {a, 2}, {nobody, 9}, {b, 1}}, .choices = {}}.words();
  const Trace trace = execute(same_write(2, 2), plan);
  EXPECT_EQ(schedule_of(trace), (Schedule{2, 1, 1, 2}));
  EXPECT_EQ(trace.view().outcome(), Outcome::Ok);
}

}  // namespace
}  // namespace lockstep::fake
