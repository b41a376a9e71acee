#include "search/exploration/coverage.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

TEST(Coverage, CountsEachBehaviourOnceAndByPreemptions) {
  Coverage coverage;
  coverage.add(7, 0, 1, 0.5);
  coverage.add(7, 1, 2, 1);
  coverage.add(8, 1, 3, 1.5);
  EXPECT_EQ(coverage.csv(),
            "series,at,executions,seconds,traces\n"
            "execution,1,1,0.500000,1\nexecution,2,2,1.000000,1\nexecution,3,3,1.500000,2\n"
            "preemptions,0,1,0.500000,1\npreemptions,1,3,1.500000,2\n");
  coverage.clear();
  EXPECT_EQ(coverage.csv(), "series,at,executions,seconds,traces\n");
}

TEST(Coverage, HasFewRowsForManyExecutionsAndTheLastOne) {
  Coverage coverage;
  for (uint64_t i = 1; i <= 1'000'000; ++i) coverage.add(i % 1000, 0, i, 0);
  const std::string csv = coverage.csv();
  EXPECT_LT(std::count(csv.begin(), csv.end(), '\n'), 2000);
  EXPECT_NE(csv.find("execution,1000000,1000000,0.000000,1000\n"), std::string::npos);
}

TEST(Coverage, GoesOnAfterItWasSaved) {
  Coverage whole, first, second;
  const auto add = [](Coverage& coverage, uint64_t i) { coverage.add(i % 700, i % 3, i, static_cast<double>(i)); };
  for (uint64_t i = 1; i <= 3000; ++i) add(whole, i);
  for (uint64_t i = 1; i <= 1500; ++i) add(first, i);
  StateWriter out;
  first.save(out);
  StateReader in(out.bytes());
  second.load(in);
  EXPECT_TRUE(in.good());
  for (uint64_t i = 1501; i <= 3000; ++i) add(second, i);
  EXPECT_EQ(second.csv(), whole.csv());
}

TEST(Coverage, IsToldByTheExplorer) {
  Coverage coverage;
  uint64_t told = 0;
  ExplorerHooks hooks;
  hooks.executed = [&](uint64_t fingerprint, uint32_t preemptions, uint64_t execution, double seconds) {
    EXPECT_EQ(execution, ++told);
    coverage.add(fingerprint, preemptions, execution, seconds);
  };
  const auto strategy = icb();
  const Program program = philosophers(3);
  FakeExecutor executor(program);
  const Exploration result = Explorer(*strategy, executor, {}, {}, true, hooks).run();
  EXPECT_EQ(told, result.executions);
  EXPECT_EQ(std::accumulate(result.by_preemptions.begin(), result.by_preemptions.end(), uint64_t{0}), told);
  EXPECT_NE(coverage.csv().find("," + std::to_string(*result.traces) + "\n"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::fake
