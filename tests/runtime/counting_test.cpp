// Programs in which traces were lost or miscounted once: every reduction against depth-first search, within bounds,
// too.
#include "reduced.hpp"

namespace lockstep {
namespace {

constexpr const char* kPrograms[] = {
    "main_exits",          "main_returns",
    "thread_exits",        "exits_beside_a_timed_wait",
    "timed_join",          "timed_semaphore",
    "timed_c11",           "exits_beside_a_blocked_thread",
    "chosen_at_birth",     "chosen_after_a_join",
    "two_joins_in_a_row",  "chosen_at_birth_in_the_middle",
    "opposite_locks",      "barrier_of_three",
    "timed_future",        "chosen_after_two_joins",
    "function_static",     "function_static_refused",
    "semaphore_looked_at", "tried_between_sleeps",
};

// Those whose atomics decide.
constexpr const char* kInstrumented[] = {"spins_beside_a_swap", "spins_beside_a_choice"};

constexpr std::string_view kUnseen[] = {"timed_future", "timed_semaphore", "exits_beside_a_timed_wait",
                                        "function_static", "function_static_refused"};

class Counting : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Counting, AgreesWithDepthFirstSearch) {
  const auto [build, program] = GetParam();
  TargetOptions options = options_for(std::string("counting-") + build + " " + program);
  options.max_steps = 2000;
  auto target = start(options);
  ASSERT_TRUE(target);
  // Uninstrumented, what decides whether a futex sleeps or a static is initialised changes unseen: nothing is reduced.
  const bool unseen = build == std::string("plain") && std::ranges::find(kUnseen, program) != std::end(kUnseen);
  const bool reduced = !unseen && program != std::string_view("tried_between_sleeps");
  compare_with_depth_first_search(*target, reduced);
}

std::string name_of_case(const testing::TestParamInfo<Counting::ParamType>& info) {
  std::string name = std::get<0>(info.param);
  name.resize(name.find('-') == std::string::npos ? name.size() : name.find('-'));
  return name + "_" + std::get<1>(info.param);
}
INSTANTIATE_TEST_SUITE_P(Programs, Counting,
                         testing::Combine(testing::Values("gcc-O1", "plain"), testing::ValuesIn(kPrograms)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Instrumented, Counting,
                         testing::Combine(testing::Values("gcc-O1"), testing::ValuesIn(kInstrumented)), name_of_case);

}  // namespace
}  // namespace lockstep
