#include "search/strategies/strategy_registry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "analysis/analysis_registry.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep {
namespace {

StrategyOptions with(std::string spec) {
  StrategyOptions options;
  options.spec = std::move(spec);
  return options;
}

std::string complaint(const StrategyOptions& options) {
  const auto strategy = make_strategy(options);
  if (strategy) return "";
  EXPECT_EQ(strategy.error().code, ExitCode::Usage);
  return strategy.error().message;
}

uint64_t executions(const StrategyOptions& options, const fake::Program& program) {
  auto strategy = make_strategy(options);
  EXPECT_TRUE(strategy);
  return fake::explore(**strategy, program).result.executions;
}

TEST(Strategies, HaveDistinctNamesAndSummaries) {
  std::set<std::string> names;
  for (const StrategyInfo& s : strategies()) {
    EXPECT_TRUE(names.insert(s.name).second);
    EXPECT_STRNE(s.summary, "");
    EXPECT_TRUE(make_strategy(with(s.name))) << s.name;
  }
}

TEST(Strategies, TakeTheBoundFromTheOptionOrTheSpec) {
  const fake::Program p = fake::fetch_add(3, 2);
  EXPECT_EQ(executions(with("dfs"), p), 90u);
  EXPECT_EQ(executions(with("icb"), p), 90u);
  EXPECT_EQ(executions(with("icb:preemptions=1"), p), 24u);
  EXPECT_EQ(executions(with("dfs:preemptions=1"), p), 24u);
  StrategyOptions one = with("icb"), unbounded = with("icb");
  one.preemptions = 1;
  unbounded.preemptions_none = true;
  EXPECT_EQ(executions(one, p), 24u);
  EXPECT_EQ(executions(unbounded, p), 90u);
}

TEST(Strategies, SayWhatIsWrongWithAName) {
  std::string known;
  for (const StrategyInfo& s : strategies()) known += (known.empty() ? "" : ", ") + std::string(s.name);
  EXPECT_EQ(complaint(with("dsf")), "unknown strategy 'dsf'; use one of: " + known);
  EXPECT_EQ(complaint(with("")), "unknown strategy ''; use one of: " + known);
}

TEST(Strategies, SayWhatIsWrongWithASetting) {
  EXPECT_EQ(complaint(with("icb:depth=3")),
            "strategy 'icb' has no setting 'depth'; its settings: preemptions, csb, variables, threads, epsilon");
  EXPECT_EQ(complaint(with("random:depth")), "strategy 'random' has no setting 'depth'; its settings: seed");
  for (const char* spec : {"icb:preemptions=two", "icb:preemptions=", "icb:preemptions", "icb:preemptions=-1",
                           "icb:preemptions=1x", "icb:preemptions=99999999999"})
    EXPECT_NE(complaint(with(spec)).find("must be a number"), std::string::npos) << spec;
  EXPECT_EQ(complaint(with("icb:preemptions=two")),
            "setting 'preemptions' of strategy 'icb' must be a number, not 'two'");
}

TEST(Strategies, TakeADepthOfAtLeastOne) {
  EXPECT_EQ(complaint(with("pct:depth=3")), "");
  EXPECT_EQ(complaint(with("pct:depth=0")), "setting 'depth' of strategy 'pct' must be a number from 1 to 64, not '0'");
  EXPECT_EQ(complaint(with("exitblock-rw:locks-write")), "");
  EXPECT_EQ(complaint(with("exitblock-rw:locks-write=2")),
            "setting 'locks-write' of strategy 'exitblock-rw' must be 0 or 1, not '2'");
  EXPECT_EQ(complaint(with("pct:deep=3")), "strategy 'pct' has no setting 'deep'; its settings: depth, seed");
}

TEST(Strategies, RefuseABoundTheyCannotKeep) {
  StrategyOptions options = with("random");
  options.preemptions = 2;
  EXPECT_EQ(complaint(options), "strategy 'random' does not support --preemptions; use auto, icb or optimal-dpor");
  options.spec = "dpor";
  EXPECT_EQ(complaint(options), "strategy 'dpor' does not support --preemptions; use auto, icb or optimal-dpor");
}

TEST(Random, SeedsDependOnSeedAndExecutionOnly) {
  const auto first_seeds = [](uint64_t seed) {
    StrategyOptions options = with("random");
    options.seed = seed;
    auto strategy = make_strategy(options);
    std::vector<uint64_t> seeds;
    for (int i = 0; i < 100; ++i) {
      const auto plan = (*strategy)->next();
      EXPECT_EQ(plan->policy, Policy::Random);
      seeds.push_back(plan->seed);
    }
    return seeds;
  };
  EXPECT_EQ(first_seeds(1), first_seeds(1));
  EXPECT_NE(first_seeds(1), first_seeds(2));
  const auto seeds = first_seeds(1);
  EXPECT_EQ(std::set<uint64_t>(seeds.begin(), seeds.end()).size(), seeds.size());
}

TEST(Analyses, AreListedUnderTheirOwnNames) {
  for (const AnalysisInfo& info : analyses()) {
    const auto analysis = info.make();
    EXPECT_STREQ(analysis->name(), info.name);
    EXPECT_STREQ(analysis->summary(), info.summary);
  }
}

}  // namespace
}  // namespace lockstep
