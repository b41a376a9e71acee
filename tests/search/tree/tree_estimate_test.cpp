// How much there is to do, said while it is done: on the average within a factor of two, and in the end exactly.
#include <gtest/gtest.h>

#include <cmath>

#include "search/strategies/optimal_dpor.hpp"
#include "search/strategies/source_dpor.hpp"
#include "search_helpers.hpp"
#include "zoo.hpp"

namespace lockstep::fake {
namespace {

struct Row {
  const char* name;
  std::unique_ptr<Search> (*make)();
  bool reduces = false;  // otherwise schedules are counted, of which there are many more
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

// The estimate after every execution but the first few, which nobody would believe.
std::vector<double> estimates(Search& strategy, const Program& program, uint64_t& executions) {
  std::vector<double> said;
  FakeExecutor executor(program);
  executions = 0;
  while (const auto plan = strategy.next()) {
    executor.submit(*plan);
    strategy.learn(*executor.next([] { return false; }));
    if (++executions >= 10) said.push_back(static_cast<double>(strategy.status().estimated_total));
  }
  return said;
}

class Estimate : public testing::TestWithParam<Row> {};

TEST_P(Estimate, IsWithinAFactorOfTwoOnTheAverage) {
  const std::vector<Program> programs =
      GetParam().reduces
          ? std::vector<Program>{fetch_add(2, 4), fetch_add(3, 3), last_zero(6), readers(7), mutex_only(3, 3)}
          : std::vector<Program>{fetch_add(2, 4), fetch_add(3, 2), fetch_add(3, 3), last_zero(3), increment(3)};
  for (const Program& program : programs) {
    const auto strategy = GetParam().make();
    uint64_t executions = 0;
    const std::vector<double> said = estimates(*strategy, program, executions);
    double off = 0;  // logarithm of the factor
    uint64_t told = 0;
    for (const double estimate : said) {
      if (estimate == 0) continue;  // nothing said
      off += std::abs(std::log(estimate / static_cast<double>(executions)));
      ++told;
    }
    EXPECT_GE(10 * told, 9 * said.size()) << program.name;
    EXPECT_LE(std::exp(off / static_cast<double>(told)), 2.0) << program.name << ", " << executions << " executions";
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, Estimate,
                         testing::Values(Row{"dfs", [] { return dfs(); }}, Row{"icb", [] { return icb(); }},
                                         Row{"source_dpor", [] { return make_source_dpor({}); }, true},
                                         Row{"optimal_dpor", [] { return make_optimal_dpor({}); }, true}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lockstep::fake
