// Failures of real programs, found by a random walk, in their simplest form.
#include "analysis/analysis_registry.hpp"
#include "programs.hpp"
#include "search/minimize/shrink.hpp"

namespace lockstep {
namespace {

struct Row {
  const char* program;
  uint32_t preemptions;  // fewest that show the failure
};
constexpr Row kRows[] = {
    {"example:work_stealing_queue", 1}, {"example:bluetooth_driver", 1},     {"example:lost_update", 1},
    {"example:ab_ba_deadlock", 1},      {"counts-gcc-O2 philosophers 3", 1}, {"counts-gcc-O2 lost_wakeup", 0},
};

class ShrinkPrograms : public testing::TestWithParam<Row> {};

TEST_P(ShrinkPrograms, NeedAsFewPreemptionsAsPossible) {
  auto target = start(options_for(GetParam().program));
  ASSERT_TRUE(target);
  for (uint64_t seed = 0, failures = 0; failures < 5 && seed < 5000; ++seed) {
    Plan plan;
    plan.policy = Policy::Random;
    plan.seed = seed;
    const Trace failing = run(*target, plan);
    const Outcome outcome = failing.view().outcome();
    if (outcome == Outcome::Ok) continue;
    ++failures;
    const auto same = [outcome](const Trace& t) { return t.view().outcome() == outcome; };
    const ShrinkBudget unhurried{2000, std::chrono::seconds(60)};
    const auto shrunk = shrink(*target, failing, plan.max_steps, same, {}, unhurried);
    const Trace& simplest = shrunk ? shrunk->trace : failing;
    EXPECT_EQ(count_preemptions(simplest), GetParam().preemptions);
    EXPECT_TRUE(lockstep::same(simplest, run(*target, plan_of(simplest)))) << "it is replayed by its deviations";
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ShrinkPrograms, testing::ValuesIn(kRows), [](const auto& info) {
  std::string name;
  for (const char c : std::string(info.param.program)) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

}  // namespace
}  // namespace lockstep
