// Spin loops need no annotation: correct ones end under every schedule, hopeless ones are proven to be.
#include "programs.hpp"
#include "search/exploration/explorer.hpp"
#include "search/strategies/strategy_registry.hpp"

namespace lockstep {
namespace {

struct Seen {
  uint64_t executions = 0, livelocks = 0, deadlocks = 0, limits = 0, others = 0, failures = 0;
  uint32_t longest = 0;
};

// Up to `most` executions of a depth-first search.
Seen explore(const std::string& program, uint64_t most, uint32_t preemptions = 2) {
  auto target = start(options_for(program));
  Seen seen;
  if (!target) return seen;
  StrategyOptions options;
  options.spec = "icb";
  options.preemptions = preemptions;
  options.max_steps = 20'000;
  auto strategy = make_strategy(options);
  while (seen.executions < most) {
    auto plan = (*strategy)->next();
    if (!plan) break;
    plan->max_steps = 20'000;
    target->submit(*plan);
    const auto trace = target->next(nullptr);
    if (!trace) break;
    ++seen.executions;
    seen.longest = std::max(seen.longest, trace->header().decisions);
    switch (trace->outcome()) {
      case Outcome::Ok: break;
      case Outcome::Livelock: ++seen.livelocks; break;
      case Outcome::Deadlock: ++seen.deadlocks; break;
      case Outcome::StepLimit: ++seen.limits; break;
      case Outcome::ExitCode: ++seen.failures; break;
      default: ++seen.others; ADD_FAILURE() << program << ": " << name_of(trace->outcome()) << " " << trace->message();
    }
    (*strategy)->learn(*trace);
  }
  return seen;
}

class Spins : public testing::TestWithParam<std::string> {};

TEST_P(Spins, EndUnderEverySchedule) {
  for (const char* build : {"gcc-O0", "gcc-O2", "clang-O2"}) {
    const Seen seen = explore("spins-" + std::string(build) + " " + GetParam(), 3000);
    EXPECT_GT(seen.executions, 2u);
    EXPECT_EQ(seen.livelocks + seen.deadlocks + seen.limits, 0u) << build;
    EXPECT_LT(seen.longest, 2000u) << build << ": the loops are cut short";
  }
}
INSTANTIATE_TEST_SUITE_P(Loops, Spins,
                         testing::Values("flag", "ticket", "test_and_test_and_set", "test_and_set", "bounded",
                                         "bounded_by_a_global", "backoff", "statistics", "yielding",
                                         "yielding_and_counting", "flag_set_by_a_signal", "two_flags"),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

TEST(SpinsThat, GiveUpAreNotCutShort) {
  // The way out after twenty rounds must stay reachable, also when the count is kept in a global.
  EXPECT_GT(explore("spins-gcc-O2 bounded exit", 3000).failures, 0u);
  EXPECT_GT(explore("spins-gcc-O2 bounded_by_a_global exit", 3000).failures, 0u);
}

TEST(SpinsThat, WaitForEachOtherAreALivelock) {
  for (const char* build : {"gcc-O0", "gcc-O2", "clang-O2"}) {
    EXPECT_GT(explore("spins-" + std::string(build) + " abba_stuck", 500).livelocks, 0u) << build;
    EXPECT_GT(explore("spins-" + std::string(build) + " forgotten_stuck", 50).livelocks, 0u) << build;
  }
}

TEST(SpinsThat, EndInSleepAreNotKeptAwakeByTheirYields) {
  for (const char* build : {"gcc-O0", "gcc-O2", "clang-O2"})
    EXPECT_GT(explore("spins-" + std::string(build) + " unnotified_stuck", 50, 0).deadlocks, 0u) << build;
}

TEST(SpinsThat, ExpectAStaleValueAreNotLeftAsleep) {
  // With libstdc++ 12 the third preemption makes the semaphore's futex wait expect what is there again.
  const Seen seen = explore("spins-gcc-O2 semaphore", 20'000, 3);
  EXPECT_GT(seen.executions, 100u);
  EXPECT_EQ(seen.deadlocks, 0u);
}

TEST(SpinsThat, WaitForEachOtherAreFoundQuickly) {
  auto target = start(options_for("spins-gcc-O2 forgotten_stuck"));
  ASSERT_TRUE(target);
  const Trace trace = run(*target, Plan{});
  EXPECT_EQ(trace.view().outcome(), Outcome::Livelock);
  EXPECT_LT(trace.view().steps().size(), 40u);
  ASSERT_EQ(trace.view().pending().size(), 2u) << "main joins, the other spins";
  EXPECT_TRUE(same(run(*target, plan_of(trace)), trace));
}

TEST(LongExecutions, ThatRepeatFairlyAreALivelock) {
  // Needs one preemption between the first lock and the try-lock; after that both go on by themselves.
  const Seen seen = explore("spins-gcc-O2 polite_stuck", 2000, 4);
  EXPECT_EQ(seen.others, 0u);
}

TEST(LongExecutions, OfAThreadThatNeverYieldsLetOthersRun) {
  auto target = start(options_for("spins-gcc-O2 selfish_stuck"));
  ASSERT_TRUE(target);
  const Trace trace = run(*target, Plan{});
  EXPECT_EQ(trace.view().outcome(), Outcome::Ok) << name_of(trace.view().outcome());
  EXPECT_EQ(count_preemptions(trace), 0u);
  EXPECT_TRUE(same(run(*target, plan_of(trace)), trace));
}

}  // namespace
}  // namespace lockstep
