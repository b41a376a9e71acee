// Calls on state that threads share beside memory are scheduling points: the order that fails is found, and orders that
// make no difference are one trace.
#include "reduced.hpp"

namespace lockstep {
namespace {

std::vector<std::string> programs() {
  std::string text;
  FILE* pipe = popen(LOCKSTEP_PROGRAMS "/process_state-gcc-O1 list", "r");
  char buffer[4096];
  for (size_t n; pipe && (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  if (pipe) pclose(pipe);
  std::vector<std::string> names = words(text);
  std::erase_if(names, [](const std::string& name) { return !name.ends_with("_first"); });
  return names;
}

class OtherOrder : public testing::TestWithParam<std::string> {};

TEST_P(OtherOrder, Fails) {
  for (const Backend backend : {Backend::Fiber, Backend::OsThread}) {
    TargetOptions options = options_for("process_state-gcc-O1 " + GetParam());
    options.backend = backend;
    auto target = start(options);
    ASSERT_TRUE(target);
    EXPECT_EQ(run(*target, Plan{}).view().outcome(), Outcome::Ok);
    for (const char* strategy : {"source-dpor", "optimal-dpor", "chess"})
      EXPECT_TRUE(explore(*target, strategy).traces.failed) << strategy;
    EXPECT_EQ(run(*target, Plan{}).view().outcome(), Outcome::Ok) << "again, after the others";
  }
}

struct Row {
  const char* program;
  size_t traces;
};
constexpr Row kRows[] = {
    {"two_looks_at_environment", 1},
    {"look_and_change", 2},
    {"two_looks_and_a_change", 4},
    {"two_masks", 2},
    {"three_masks", 6},
    {"mask_and_environment", 1},
    {"mask_and_question", 2},
    {"two_questions", 1},
    {"question_and_dup", 1},
    {"two_dups", 2},
    {"open_and_environment", 1},
    {"two_opens", 2},
    {"two_folders", 2},
    {"two_reads", 2},
    {"reads_of_two_files", 1},
    {"two_preads", 1},
    {"waits_for_a_file", 4},
    {"waits_for_a_variable", 4},
    {"waits_for_another_variable", 16},
    {"folder_as_a_lock", 8},
    {"file_as_a_lock", 8},
    {"inherited", 1},
};
class Orders : public testing::TestWithParam<Row> {};

TEST_P(Orders, AreAsManyAsThereAreTraces) {
  auto target = start(options_for(std::string("process_state-gcc-O1 ") + GetParam().program));
  ASSERT_TRUE(target);
  EXPECT_EQ(compare_with_depth_first_search(*target, true).traces.cost.size(), GetParam().traces);
}

INSTANTIATE_TEST_SUITE_P(Programs, OtherOrder, testing::ValuesIn(programs()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Programs, Orders, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.program); });

}  // namespace
}  // namespace lockstep
