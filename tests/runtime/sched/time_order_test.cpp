// The rule of docs/decisions/0014-time.md: which sleeps and timed waits may end before which operations.
#include <gtest/gtest.h>

#include <set>

#include "fake_threads.hpp"

namespace lockstep::rt {
namespace {

constexpr uint64_t kMillisecond = 1'000'000, kLimit = 10 * kMillisecond;

// All schedules within the rule, by who does which step: every offered alternative of every step is taken.
std::set<std::string> schedules(const std::vector<Body>& bodies, uint64_t max_delay = kLimit) {
  std::set<std::string> seen;
  std::vector<std::vector<Delta>> open = {{}};
  while (!open.empty()) {
    Plan plan;
    plan.deltas = open.back();
    open.pop_back();
    const FakeRun result = run(plan, bodies, max_delay);
    seen.insert(result.threads);
    const size_t first = plan.deltas.empty() ? 0 : plan.deltas.back().step + 1;
    for (size_t i = first; i < result.steps.size(); ++i)
      for (unsigned t = 1; t <= bodies.size(); ++t)
        if (result.offered[i] >> t & 1 && ThreadId(t) != result.steps[i].thread) {
          open.push_back(plan.deltas);
          open.back().push_back({static_cast<uint32_t>(i), static_cast<uint16_t>(t)});
        }
  }
  return seen;
}

using Set = std::set<std::string>;

TEST(TimeOrder, SleepsThatLieFarApartKeepTheirOrder) {
  const Body shorter = [] { sleep_for(10); }, longer = [] { sleep_for(100); };
  EXPECT_EQ(schedules({shorter, longer}), Set({"1 2"}));
  EXPECT_EQ(schedules({shorter, longer}, ~0ull), Set({"1 2", "2 1"}));
  EXPECT_EQ(schedules({longer, shorter}), Set({"2 1"}));
  EXPECT_EQ(schedules({shorter, [] { sleep_for(20); }}), Set({"1 2", "2 1"})) << "10 ms apart";
  EXPECT_EQ(schedules({shorter, [] { sleep_for(21); }}), Set({"1 2"}));
}

TEST(TimeOrder, AnExecutionSaysHowLongItHeldUpWhom) {
  const std::vector<Body> sleeps = {[] { sleep_for(10); }, [] { sleep_for(100); }, [] { store(1); }};
  Plan plan;
  plan.deltas = {{0, 3}, {1, 2}};
  const FakeRun late = run(plan, sleeps, ~0ull);
  EXPECT_EQ(late.threads, "3 2 1");
  EXPECT_EQ(late.delay.nanoseconds, 90 * kMillisecond);
  EXPECT_EQ(late.delay.held_up, ThreadId(1));
  EXPECT_EQ(late.delay.record, 1u);
  plan.deltas = {{0, 3}};
  EXPECT_EQ(run(plan, sleeps, ~0ull).delay.nanoseconds, 0u) << "in the order of their deadlines";
}

TEST(TimeOrder, ATimedWaitGivesUpEarlyOnlyWithinTheLimit) {
  const Body stores = [] { store(1); };
  EXPECT_EQ(schedules({[] { wait_in_vain(2, 60'000); }, stores}), Set({"2 1"}));
  EXPECT_EQ(schedules({[] { wait_in_vain(2, 1); }, stores}), Set({"1 2", "2 1"}));
}

TEST(TimeOrder, TheAllowanceIsOneSumPerThreadThatWaits) {
  const Body naps = [] {
    for (int i = 0; i < 3; ++i) sleep_for(4);
  };
  EXPECT_EQ(schedules({naps, [] { store(1); }}), Set({"2 1 1 1", "1 2 1 1", "1 1 2 1"}))
      << "the third sleep ends 12 ms after the store could have come";
}

TEST(TimeOrder, TimeIsLearnedFromWhatHappenedBefore) {
  const Body writer = [] {
    sleep_for(50);
    store(1);
  };
  const Body reader = [] {
    sleep_for(45);
    load(1);
    load(2);
  };
  const Set seen = schedules({writer, reader, [] { wait_in_vain(3, 58); }});
  EXPECT_TRUE(seen.contains("1 1 2 2 3 2")) << "from the store, which came at 50 ms";
  EXPECT_FALSE(seen.contains("1 2 2 1 3 2")) << "the second load could have come at 45 ms";
  EXPECT_FALSE(seen.contains("1 1 2 3 2 2")) << "what an operation will learn itself does not count";
}

TEST(TimeOrder, PollingTakesTime) {
  const Body polls = [] {
    for (int i = 0; i < 60; ++i) yield();
  };
  const FakeRun result = run({}, {polls, [] { wait_in_vain(2, 100); }}, kLimit);
  EXPECT_EQ(result.outcome, Outcome::Ok);
  EXPECT_LT(result.threads.find('2'), 2 * 45u) << "times out while the other polls";
}

TEST(TimeOrder, ALongTurnTakesTimeAndEndsWithoutAPreemption) {
  int rounds = 0;
  bool stop = false;
  const Body works = [&] {
    for (rounds = 0; !stop; ++rounds) store(1);
  };
  const Body sleeps = [&] {
    sleep_for(100);
    store(2);
    stop = true;
  };
  const FakeRun result = run({}, {works, sleeps}, kLimit);
  EXPECT_EQ(result.outcome, Outcome::Ok);
  EXPECT_GT(rounds, 4'000);
  EXPECT_LT(rounds, 40'000);
}

TEST(TimeOrder, AReasonIsGivenWhereAnIndependentStepMakesAnEndPossible) {
  const Body stores = [] { store(2); };
  EXPECT_TRUE(run({}, {stores, [] { sleep_for(15); }}, kLimit).reasons.has(Reason::Delay));
  EXPECT_FALSE(run({}, {stores, [] { sleep_for(9); }}, kLimit).reasons.has(Reason::Delay));
}

}  // namespace
}  // namespace lockstep::rt
