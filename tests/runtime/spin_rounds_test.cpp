// Loops whose number of rounds matters go round as often as they were told to, in every interleaving; where that hides
// executions it is noted, and where nothing depends on the number it is not.
#include "reduced.hpp"

namespace lockstep {
namespace {

// For every execution: how often the first thread looked before, between and after the steps of the second one.
class Looks final : public Analysis {
 public:
  const char* name() const override { return "looks"; }
  const char* summary() const override { return "counts looks between stores"; }
  std::optional<Finding> check(TraceView trace) override {
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
};

std::unique_ptr<Target> start_with(const std::string& program, uint32_t rounds) {
  TargetOptions options = options_for("rounds-" + program);
  options.spin_rounds = rounds;
  return start(options);
}

std::set<std::vector<unsigned>> looks_of(const std::string& program, uint32_t rounds, const std::string& strategy) {
  auto target = start_with(program, rounds);
  if (!target) return {};
  StrategyOptions options;
  options.spec = strategy;
  options.preemptions_none = strategy == "chess";
  auto made = make_strategy(options);
  EXPECT_TRUE(made);
  Looks looks;
  Analysis* analyses[] = {&looks};
  EXPECT_TRUE(Explorer(**made, *target, analyses, {}, true, {}).run().complete) << program << " " << strategy;
  return looks.seen;
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
    const auto seen = looks_of("gcc-O2 napping", rounds, "dfs");
    for (const auto& way : all_ways(rounds)) EXPECT_TRUE(seen.contains(way)) << rounds << ": " << way[0] << " " << way[1];
    unsigned longest = 0;
    for (const auto& way : seen) longest = std::max(longest, way[0]);
    EXPECT_EQ(longest, rounds + 1) << "and then the other one goes first";
  }
}

TEST(SpinRounds, AreTheSameForEveryStrategy) {
  for (const char* program : {"gcc-O2 napping", "clang-O0 napping", "gcc-O2 yielding"})
    for (const uint32_t rounds : {1u, 3u}) {
      const auto seen = looks_of(program, rounds, "dfs");
      for (const char* strategy : {"icb", "chess", "dpor", "source-dpor", "optimal-dpor"})
        EXPECT_EQ(looks_of(program, rounds, strategy), seen) << program << " " << strategy << " " << rounds;
    }
}

// Does a search that finished find the failure of a loop that goes round more than `most` times?
bool fails(const std::string& program, uint32_t rounds, const char* strategy) {
  auto target = start_with(program, rounds);
  if (!target) return false;
  const Explored explored = explore(*target, strategy, {}, 100'000);
  EXPECT_TRUE(explored.result.complete) << program << " " << strategy;
  return explored.traces.failed;
}

TEST(SpinRounds, BeyondWhatIsTriedAreReachedWithMore) {
  for (const char* program : {"napping", "first_napping", "global", "thread_local", "atomic", "time", "attempts"})
    for (const char* strategy : {"dfs", "optimal-dpor"}) {
      const std::string line = std::string("gcc-O2 ") + program + " 4";
      EXPECT_TRUE(fails(line, 5, strategy)) << line << " " << strategy;
    }
}

TEST(SpinRounds, OfABareLoopAreReachedWithMore) {
  EXPECT_FALSE(fails("gcc-O2 bare 100", 1, "icb"));
  auto target = start_with("gcc-O2 bare 100", 101);
  ASSERT_TRUE(target);
  EXPECT_TRUE(explore(*target, "icb", 1).traces.failed);
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
    for (const char* program :
         {"napping", "yielding", "bare", "first_napping", "global", "thread_local", "atomic", "time", "attempts", "only_naps"})
      EXPECT_TRUE(noted(std::string(build) + " " + program, 1)) << build << " " << program;
}

TEST(SpinRounds, OfLoopsThatOnlyWaitDoNotMatter) {
  for (const char* build : {"gcc-O0", "gcc-O2", "clang-O0", "clang-O2"})
    for (const char* program : {"wait_napping", "wait_first_napping", "wait_yielding", "wait_for_two", "wait_attempting",
                                "spin_lock", "back_off", "peterson", "sleep_on", "naps_in_a_row"})
      for (const uint32_t rounds : {1u, 3u})
        EXPECT_FALSE(noted(std::string(build) + " " + program, rounds)) << build << " " << program << " " << rounds;
}

TEST(SpinRounds, OfLoopsThatOnlyWaitCostNothing) {
  for (const char* program : {"wait_napping", "wait_yielding", "wait_attempting", "spin_lock"}) {
    auto few = start_with(std::string("gcc-O2 ") + program, 1), many = start_with(std::string("gcc-O2 ") + program, 20);
    ASSERT_TRUE(few && many);
    EXPECT_EQ(explore(*few, "dfs").result.executions, explore(*many, "dfs").result.executions) << program;
  }
}

TEST(SpinRounds, AreNotWhatNapsOneAfterAnotherAre) {
  EXPECT_TRUE(fails("gcc-O2 naps_in_a_row 0", 1, "dfs"));
  EXPECT_TRUE(fails("gcc-O2 naps_in_a_row 0", 1, "optimal-dpor"));
}

}  // namespace
}  // namespace lockstep
