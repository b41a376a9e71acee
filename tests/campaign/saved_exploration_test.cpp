// A save that is given up, because the command has to end, leaves the earlier one.
#include "campaign/saved_exploration.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace lockstep {
namespace {

class SavedFile : public testing::Test {
 protected:
  SavedFile() {
    char name[] = "/tmp/lockstep-saved-XXXXXX";
    folder_ = mkdtemp(name);
    path_ = saved_exploration_path(folder_);
    run_.arguments = {"run", "./program"};
  }
  ~SavedFile() override { std::filesystem::remove_all(folder_); }

  std::optional<Error> save(const std::string& state, const std::function<bool()>& gives_up) {
    return save_exploration_file(
        run_, [&](StateWriter& out) { out.put_bytes(state.data(), state.size()); }, path_, gives_up);
  }

  std::string folder_, path_;
  SavedExploration run_;
};

TEST_F(SavedFile, GivenUpInTheMiddleLeavesTheEarlierOne) {
  ASSERT_FALSE(save("the first", [] { return false; }));
  int slices = 0;
  const std::optional<Error> error = save(std::string(64 << 20, 'x'), [&slices] { return ++slices > 8; });
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("no time is left"), std::string::npos) << error->message;
  EXPECT_LE(slices, 10) << "asked once for each slice, and not once it had given up";
  const Result<SavedExploration> read = load_saved_exploration(path_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->state, "the first");
}

TEST_F(SavedFile, ALargeStateIsReadAsItWas) {
  std::string state;
  for (uint64_t i = 0; state.size() < 5'000'000; ++i) state += std::to_string(i * 2'654'435'761u);
  ASSERT_FALSE(save(state, [] { return false; }));
  const Result<SavedExploration> read = load_saved_exploration(path_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->state == state);
}

}  // namespace
}  // namespace lockstep
