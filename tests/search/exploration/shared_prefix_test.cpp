// Whether it is known what an execution shares with the one before it changes nothing but the time it takes.
#include <gtest/gtest.h>

#include <tuple>

#include "analysis/lock_order.hpp"
#include "analysis/sc_violation.hpp"
#include "known.hpp"
#include "search/strategies/strategy_registry.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

// Everything that is made of records: what was run in which order, what was counted, what the analyses said.
using Results =
    std::tuple<std::vector<Schedule>, uint64_t, uint64_t, uint32_t, uint64_t, std::string, std::vector<std::string>>;

Results run(const StrategyOptions& options, const Program& program, Told same) {
  const auto strategy = make_strategy(options);
  Recorder seen;
  LockOrderAnalysis locks;
  ScViolationAnalysis stores;
  std::vector<Analysis*> analyses = {&seen, &locks, &stores};
  FakeExecutor executor(program, {.same = same});
  Budget budget;
  budget.executions = 400;
  const Exploration result = Explorer(**strategy, executor, analyses, budget, true, {}).run();
  std::vector<std::string> warnings;
  for (const Finding& warning : result.warnings) warnings.push_back(warning.message);
  return {
      seen.schedules, result.executions, result.traces.value_or(0), result.preemptions_max, result.estimated_executions,
      known(result),  warnings};
}

// Reductions know by themselves what they share; of theirs only the analyses make use of it.
std::vector<StrategyOptions> strategies(bool reductions) {
  std::vector<StrategyOptions> list;
  const auto add = [&list](const char* spec, std::optional<uint32_t> preemptions = {}, const char* rank = "mdpor,pb") {
    StrategyOptions& options = list.emplace_back();
    options.spec = spec;
    options.preemptions = preemptions;
    options.rank = rank;
  };
  for (const char* spec : {"dfs", "icb", "chess", "delay"}) add(spec);
  add("chess", 1);
  for (const char* rank : {"mdpor,pb", "ss,dpor", "view,fresh", "odds"}) add("best-first", {}, rank);
  if (!reductions) return list;
  for (const char* spec : {"dpor", "source-dpor", "optimal-dpor", "best-first:expand=dpor"}) add(spec);
  add("bpor", 1);
  return list;
}

TEST(Beginnings, ChangeNothing) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Program program = random_program(seed);
    for (const StrategyOptions& options : strategies(true))
      EXPECT_EQ(run(options, program, Told::Nothing), run(options, program, Told::Truth))
          << options.spec << " " << options.rank << " on program " << seed;
  }
}

// The negative control: if more were taken for the same than is, each of these would show it.
TEST(Beginnings, AreLookedAt) {
  for (const StrategyOptions& options : strategies(false)) {
    bool noticed = false;
    for (uint64_t seed = 0; seed < 60 && !noticed; ++seed) {
      const Program program = random_program(seed);
      noticed = run(options, program, Told::Nothing) != run(options, program, Told::TooMuch);
    }
    EXPECT_TRUE(noticed) << options.spec << " " << options.rank;
  }
}

}  // namespace
}  // namespace lockstep::fake
