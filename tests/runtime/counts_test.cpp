// Schedules of real programs, counted by depth-first search and by iterative context bounding. The numbers are those
// of a brute-force enumeration of the same programs on paper semantics.
#include "model/executor.hpp"
#include "programs.hpp"
#include "search/exploration/explorer.hpp"
#include "search/strategies/strategy_registry.hpp"

namespace lockstep {
namespace {

struct Row {
  const char* program;
  uint64_t all;
  std::vector<uint64_t> within;  // at most 0, 1, 2... preemptions
};

const Row kRows[] = {
    {"indep 2 2", 6, {2, 4, 6}},
    {"indep 3 2", 90, {6, 24, 60, 90}},
    {"faa 2 2", 6, {2, 4, 6}},
    {"faa 2 3", 20, {2, 6, 14, 18, 20}},
    {"faa 3 1", 6, {6, 6}},
    {"faa 3 2", 90, {6, 24, 60, 90}},
    {"inc 2 1", 6, {2, 4, 6}},
    {"inc 3 1", 90, {6, 24, 60, 90}},
    {"inc 2 2", 70, {2, 8, 26, 44, 62}},
    {"cas 3", 6, {6, 6}},
    {"readers 3", 24, {24}},
    {"readers 4", 120, {120}},
    {"lock 2 1", 2, {2}},
    {"lock 2 2", 6, {2, 4, 6}},
    {"lock 2 3", 20, {2, 6, 14, 18, 20}},
    {"lock 3 2", 90, {6, 24, 60, 90}},
    {"mutex_counter 3 1", 6, {6}},
    {"mutex_counter 2 2", 6, {2, 4, 6}},
    {"abba", 6, {2, 6, 6}},
    {"philosophers 3", 168, {6, 57, 129, 150, 168}},
    {"trylock", 4, {2, 4}},
    {"semaphore 2", 2, {2}},
    {"semaphore 3", 6, {6}},
    {"condvar_signal 1", 2, {2}},
    {"condvar_broadcast 1", 2, {2}},
    {"condvar_signal 2", 10, {10}},
    {"condvar_broadcast 2", 10, {10}},
    {"lost_wakeup", 2, {2}},
};

// Bugs do not stop this search: it counts.
uint64_t count(Target& target, const std::string& strategy, std::optional<uint32_t> preemptions) {
  StrategyOptions options;
  options.spec = strategy;
  options.preemptions = preemptions;
  options.preemptions_none = !preemptions;
  auto made = make_strategy(options);
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  Explorer explorer(**made, target, {}, {}, true, {});
  const Exploration result = explorer.run();
  EXPECT_TRUE(result.complete()) << int(result.ending);
  EXPECT_EQ(result.diverged, 0u);
  return result.executions;
}

class Counts : public testing::TestWithParam<Row> {};

TEST_P(Counts, EqualBruteForce) {
  const Row& row = GetParam();
  auto target = start(options_for(std::string("counts-gcc-O2 ") + row.program));
  ASSERT_TRUE(target);
  EXPECT_EQ(target->info().isolation, Isolation::Reset);
  EXPECT_EQ(count(*target, "dfs", std::nullopt), row.all);
  for (uint32_t c = 0; c < row.within.size(); ++c) {
    EXPECT_EQ(count(*target, "icb", c), row.within[c]) << "at most " << c << " preemptions";
    EXPECT_EQ(count(*target, "dfs", c), row.within[c]) << "at most " << c << " preemptions";
  }
}

TEST_P(Counts, DoNotDependOnTheNumberOfWorkers) {
  const Row& row = GetParam();
  TargetOptions options = options_for(std::string("counts-gcc-O2 ") + row.program);
  options.workers = 3;
  auto target = start(options);
  ASSERT_TRUE(target);
  EXPECT_EQ(count(*target, "dfs", std::nullopt), row.all);
  EXPECT_EQ(count(*target, "icb", 1), row.within[std::min<size_t>(1, row.within.size() - 1)]);
}

std::string name_of_row(const testing::TestParamInfo<Row>& info) {
  std::string name = info.param.program;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Programs, Counts, testing::ValuesIn(kRows), name_of_row);

TEST(CountsOfBuilds, AgreeBetweenCompilersAndOptimisationLevels) {
  for (const char* build : {"gcc-O0", "gcc-O2", "clang-O0", "clang-O2"})
    for (const char* program : {"faa 3 2", "philosophers 3", "condvar_signal 2"}) {
      auto target = start(options_for("counts-" + std::string(build) + " " + program));
      ASSERT_TRUE(target);
      const uint64_t expected = program[0] == 'f' ? 90 : program[0] == 'p' ? 168 : 10;
      EXPECT_EQ(count(*target, "dfs", std::nullopt), expected) << build << " " << program;
    }
}

TEST(CountsOfBuilds, UninstrumentedProgramsAreExploredAtTheirCalls) {
  // Every thread's start is a step there, and atomics are not seen.
  auto target = start(options_for("counts-plain lock 2 1"));
  ASSERT_TRUE(target);
  EXPECT_FALSE(target->info().instrumented);
  EXPECT_GT(count(*target, "dfs", std::nullopt), 2u);
}

}  // namespace
}  // namespace lockstep
