// auto and portfolio: several strategies in turns.
#include <gtest/gtest.h>

#include <set>

#include "search/registry.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

std::unique_ptr<Strategy> made(const std::string& spec) {
  StrategyOptions options;
  options.spec = spec;
  auto strategy = make_strategy(options);
  EXPECT_TRUE(strategy);
  return std::move(*strategy);
}

Budget at_most(uint64_t executions) {
  Budget budget;
  budget.executions = executions;
  return budget;
}

TEST(Auto, IsIcbOnAProgramThatIsSoonDone) {
  for (const Program& program : {fetch_add(3, 2), philosophers(3), lost_wakeup()}) {
    const auto strategy = made("auto"), reference = icb(2);
    const Explored e = explore(*strategy, program);
    EXPECT_EQ(e.seen.schedules, explore(*reference, program).seen.schedules);
    EXPECT_TRUE(e.result.complete);
    EXPECT_EQ(e.result.preemptions_completed, 2u);
    EXPECT_EQ(e.result.remark.find("pos"), std::string::npos) << e.result.remark;
  }
}

TEST(Auto, LooksAroundWhileAProofTakesLong) {
  const auto strategy = made("auto");
  const Program program = filesystem(3, 3, 3);  // 2022 executions with at most 2 preemptions
  const Explored e = explore(*strategy, program, {.window = 4});
  EXPECT_TRUE(e.result.complete);
  EXPECT_EQ(e.result.guarantee, "every execution with at most 2 preemptions, if free of data races");
  EXPECT_GT(e.result.executions, 2022u);
  EXPECT_LT(e.result.executions, 2 * 2022u + 500);
  const auto reference = icb(2);
  std::vector<Schedule> all = explore(*reference, program).sorted(), seen = e.sorted();
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_TRUE(std::includes(seen.begin(), seen.end(), all.begin(), all.end()));
  for (const char* part : {"icb", "pos", "pct:depth=2", "pct:depth=3", "random"})
    EXPECT_NE(e.result.remark.find(part), std::string::npos) << e.result.remark;
}

TEST(Auto, RepeatsItself) {
  for (const char* spec : {"auto:preemptions=none", "portfolio:preemptions=none"}) {
    const auto one = made(spec), two = made(spec);
    EXPECT_EQ(explore(*one, filesystem(3, 3, 3), {.window = 4}, at_most(5000)).seen.schedules,
              explore(*two, filesystem(3, 3, 3), {.window = 4, .timing = Timing::Backwards}, at_most(5000)).seen.schedules);
  }
}

TEST(Portfolio, RunsAllItsStrategiesFromTheStart) {
  const auto strategy = made("portfolio");
  const Explored e = explore(*strategy, filesystem(3, 3, 3), {}, at_most(10));
  EXPECT_EQ(e.result.remark,
            "2 executions of icb, 2 executions of pos, 2 executions of pct:depth=2, 2 executions of pct:depth=3, 2 "
            "executions of random; the last was of random");
}

}  // namespace
}  // namespace lockstep::fake
