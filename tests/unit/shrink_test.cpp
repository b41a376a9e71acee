// Shrinking keeps the failure and loses everything it does not need.
#include "search/shrink.hpp"

#include <gtest/gtest.h>

#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

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
  for (const Program& program : {increment(2), increment(3), philosophers(3), philosophers(4), abba()}) {
    const uint32_t least = fewest(program);
    for (uint64_t from = 0; from < 10'000; from += 1000) {
      const auto failing = fail_at_random(program, from);
      ASSERT_TRUE(failing) << program.name;
      const Outcome outcome = failing->view().outcome();
      FakeExecutor executor(program);
      const auto same = [&](const Trace& t) { return t.view().outcome() == outcome; };
      const auto shrunk = shrink(executor, *failing, 1000, same);
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

// One thread reads twice what seven others write: any one of them is enough.
TEST(Shrink, InvolvesNoMoreThreadsThanNeeded) {
  Program program{.name = "read twice", .threads = {}};
  program.threads.push_back({ld(0, 0), ld(0, 1), check([](const Registers& r) { return Value{r[0] == r[1]}; }, "equal")});
  for (int i = 1; i < 8; ++i) program.threads.push_back({st(0, i)});
  for (uint64_t from = 0; from < 10'000; from += 1000) {
    const auto failing = fail_at_random(program, from);
    ASSERT_TRUE(failing);
    FakeExecutor executor(program);
    const auto same = [](const Trace& t) { return t.view().outcome() == Outcome::Assertion; };
    const auto shrunk = shrink(executor, *failing, 1000, same);
    const Complexity result = shrunk ? shrunk->complexity : complexity_of(*failing);
    EXPECT_EQ(result.preemptions, 1u);
    EXPECT_EQ(result.involved, 2u);
  }
}

TEST(Shrink, AsksWhetherItIsTheSameFailure) {
  const Program program = philosophers(3);
  const auto failing = fail_at_random(program, 0);
  ASSERT_TRUE(failing);
  FakeExecutor executor(program);
  EXPECT_FALSE(shrink(executor, *failing, 1000, [](const Trace&) { return false; }));
}

TEST(Guided, FollowsWishesAndSkipsWhatCannotBeDone) {
  Plan plan;
  plan.policy = Policy::Guided;
  plan.deltas = {{1, 2}, {2, 1}, {9, 7}, {1, 2}};  // b, a twice, nobody, b
  const Trace trace = execute(same_write(2, 2), plan);
  EXPECT_EQ(schedule_of(trace), (Schedule{2, 1, 1, 2}));
  EXPECT_EQ(trace.view().outcome(), Outcome::Ok);
}

}  // namespace
}  // namespace lockstep::fake
