// Death tests of GoogleTest, in both styles, beside threads.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

namespace {

void count_together() {
  std::atomic<int> count{0};
  std::thread other([&] { ++count; });
  ++count;
  other.join();
}

TEST(Death, Fast) {
  testing::FLAGS_gtest_death_test_style = "fast";
  count_together();
  EXPECT_DEATH(std::abort(), "");
}
TEST(Death, Threadsafe) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  count_together();
  EXPECT_DEATH(std::abort(), "");
}
TEST(Death, BesideAThread) {
  std::atomic<int> count{0};
  std::thread other([&] { ++count; });
  EXPECT_EXIT(std::exit(3), testing::ExitedWithCode(3), "");
  other.join();
}
TEST(Death, DoesNotDie) {
  count_together();
  EXPECT_DEATH(count_together(), "");
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
