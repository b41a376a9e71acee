// A worker's private copies: what nobody uses goes, oldest first, until the rest is small enough.
#include "work/cache_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  Cache() {
    std::string name = (fs::temp_directory_path() / "cache-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    ::setenv("XDG_CACHE_HOME", root_.c_str(), 1);
  }
  ~Cache() override { fs::remove_all(root_); }

  std::string put(const std::string& name, int minutes_ago) {
    const fs::path path = root_ / "lockstep" / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << std::string(1000, 'x');
    const auto time = fs::file_time_type::clock::now() - std::chrono::minutes(minutes_ago);
    fs::last_write_time(path, time);
    fs::last_write_time(root_ / "lockstep" / *fs::path(name).begin(), time);  // the folder of a session
    return path.string();
  }

  fs::path root_;
};

TEST_F(Cache, ForgetsWhatWasUsedLongestAgo) {
  const std::string old = put("old", 30), middle = put("middle", 20), recent = put("recent", 10);
  CacheFolder folder;
  ASSERT_FALSE(folder.open());
  EXPECT_TRUE(fs::exists(old)) << "there is room for all";
  folder.prune(2000);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(middle) && fs::exists(recent));
}

TEST_F(Cache, MakesWhatIsUsedTheNewest) {
  const std::string old = put("old", 30), recent = put("recent", 10);
  CacheFolder folder;
  {
    CacheFolder session;
    session.use(old);
  }
  ASSERT_FALSE(folder.open());
  folder.prune(1000);
  EXPECT_TRUE(fs::exists(old));
  EXPECT_FALSE(fs::exists(recent));
}

TEST_F(Cache, KeepsWhatASessionUses) {
  CacheFolder session, other;
  ASSERT_FALSE(session.open());
  const std::string used = put("used", 30), unused = put("unused", 20), library = put("job-1/lib/libx.so", 30),
                    left = put("job-2/lib/libx.so", 30);
  session.use(used);
  session.use((root_ / "lockstep/job-1").string());
  ASSERT_FALSE(other.open());
  EXPECT_TRUE(fs::exists(library));
  EXPECT_FALSE(fs::exists(left)) << "its session was killed";
  EXPECT_TRUE(fs::exists(unused)) << "there is room for it";
  other.prune(0);
  EXPECT_TRUE(fs::exists(used) && fs::exists(library));
  EXPECT_FALSE(fs::exists(unused));
}

}  // namespace
}  // namespace lockstep
