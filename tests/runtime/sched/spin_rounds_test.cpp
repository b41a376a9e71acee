// Loops whose number of rounds matters go round as often as they were told to, in every interleaving; where that hides
// executions it is noted, and where nothing depends on the number it is not.
#include "reduced.hpp"

namespace lockstep {
namespace {

// For every execution: how often the first thread looked before, between and after the stores of the second one.
class Looks final : public Analysis {
 public:
  const char* name() const override { return "looks"; }
  const char* summary() const override { return "counts looks between stores"; }
  std::optional<Finding> check(TraceView trace) override {
    failed |= trace.outcome() == Outcome::ExitCode;
    if (trace.outcome() != Outcome::Ok) return std::nullopt;
    std::vector<unsigned> looks(1);
    for (const Step& step : trace.steps()) {
      if (step.kind == OpKind::Store) looks.push_back(0);
      if (step.kind == OpKind::Load) ++looks.back();
    }
    seen.insert(looks);
    return std::nullopt;
  }
  std::set<std::vector<unsigned>> seen;
  bool failed = false;
};

std::unique_ptr<Target> start_with(const std::string& program, uint32_t rounds) {
  TargetOptions options = options_for("rounds-" + program);
  options.spin_rounds = rounds;
  return start(options);
}

Looks search(const std::string& program, uint32_t rounds, const std::string& strategy,
             std::optional<uint32_t> preemptions = {}) {
  Looks looks;
  auto target = start_with(program, rounds);
  if (!target) return looks;
  StrategyOptions options;
  options.spec = strategy;
  options.preemptions = preemptions;
  auto made = make_strategy(options);
  EXPECT_TRUE(made);
  Analysis* analyses[] = {&looks};
  EXPECT_TRUE(Explorer(**made, *target, analyses, {}, true, {}).run().complete()) << program << " " << strategy;
  return looks;
}

// Two stores, the second ends the loop. All ways to look up to `rounds` times before the first and between them.
std::set<std::vector<unsigned>> all_ways(uint32_t rounds) {
  std::set<std::vector<unsigned>> all;
  for (unsigned before = 0; before <= rounds; ++before)
    for (unsigned between = 0; between <= rounds; ++between) all.insert({before, between, 1});
  return all;
}

TEST(SpinRounds, AreAllTried) {
  for (const uint32_t rounds : {1u, 2u, 4u}) {
    const auto seen = search("gcc-O2 napping", rounds, "dfs").seen;
    for (const auto& way : all_ways(rounds))
      EXPECT_TRUE(seen.contains(way)) << rounds << ": " << way[0] << " " << way[1];
    unsigned longest = 0;
    for (const auto& way : seen) longest = std::max(longest, way[0]);
    EXPECT_EQ(longest, rounds + 1) << "and then the other one goes first";
  }
}

TEST(SpinRounds, AreTheSameForEveryStrategy) {
  for (const char* program :
       {"gcc-O2 napping", "clang-O0 napping", "gcc-O2 yielding", "gcc-O2 global", "gcc-O2 attempts"})
    for (const uint32_t rounds : {1u, 3u}) {
      SCOPED_TRACE(program);
      auto target = start_with(program, rounds);
      ASSERT_TRUE(target);
      const auto all = explore(*target, "dfs").traces.within(~0u);
      for (const char* strategy : {"icb", "chess", "dpor", "source-dpor", "optimal-dpor"})
        EXPECT_EQ(explore(*target, strategy).traces.within(~0u), all) << strategy << " " << rounds;
    }
}

TEST(SpinRounds, BeyondWhatIsTriedAreReachedWithMore) {
  for (const char* program : {"napping", "first_napping", "global", "thread_local", "atomic", "time", "attempts"})
    for (const char* strategy : {"dfs", "icb", "optimal-dpor"}) {
      const std::string line = std::string("gcc-O2 ") + program + " 4";
      EXPECT_TRUE(search(line, 5, strategy).failed) << line << " " << strategy;
    }
  EXPECT_TRUE(search("gcc-O2 only_naps 0 5", 5, "dfs").failed);
  EXPECT_FALSE(search("gcc-O2 only_naps 0 20", 2, "dfs").failed);
}

TEST(SpinRounds, OfABareLoopAreReachedWithMore) {
  EXPECT_FALSE(search("gcc-O2 bare 400", 1, "icb", 1).failed);
  EXPECT_TRUE(search("gcc-O2 bare 400", 401, "icb", 1).failed);
}

bool noted(const std::string& program, uint32_t rounds) {
  auto target = start_with(program, rounds);
  if (!target) return false;
  explore(*target, "icb", 2, 3000);
  bool noted = false;
  for (const Fact& fact : target->facts()) {
    if (fact.kind != FactKind::SpinRounds) continue;
    noted = true;
    EXPECT_NE(fact.place, 0u) << program;
  }
  return noted;
}

TEST(SpinRounds, ThatAreNotTriedAreNoted) {
  for (const char* build : {"gcc-O0", "gcc-O2", "clang-O0", "clang-O2"})
    for (const char* program : {"napping", "yielding", "bare", "first_napping", "global", "thread_local", "atomic",
                                "time", "attempts", "only_naps"})
      EXPECT_TRUE(noted(std::string(build) + " " + program, 2)) << build << " " << program;
}

TEST(SpinRounds, OfLoopsThatOnlyWaitDoNotMatter) {
  for (const char* build : {"gcc-O0", "gcc-O2", "clang-O0", "clang-O2"})
    for (const char* program : {"wait_napping", "wait_first_napping", "wait_yielding", "wait_for_two",
                                "wait_attempting", "spin_lock", "back_off", "peterson", "sleep_on", "naps_in_a_row"})
      // What the first two rounds leave in dead stack slots may differ, so that only the third is like the one before.
      for (const uint32_t rounds : {3u, 4u})
        EXPECT_FALSE(noted(std::string(build) + " " + program, rounds)) << build << " " << program << " " << rounds;
}

TEST(SpinRounds, OfLoopsThatOnlyWaitCostNothing) {
  for (const char* program : {"wait_napping", "wait_yielding", "wait_attempting", "spin_lock"}) {
    auto few = start_with(std::string("gcc-O2 ") + program, 2), many = start_with(std::string("gcc-O2 ") + program, 20);
    ASSERT_TRUE(few && many);
    EXPECT_EQ(explore(*few, "dfs").result.executions, explore(*many, "dfs").result.executions) << program;
  }
}

TEST(SpinRounds, AreNotWhatNapsOneAfterAnotherAre) {
  EXPECT_TRUE(search("gcc-O2 naps_in_a_row 0", 1, "dfs").failed);
  EXPECT_TRUE(search("gcc-O2 naps_in_a_row 0", 1, "optimal-dpor").failed);
}

}  // namespace
}  // namespace lockstep
