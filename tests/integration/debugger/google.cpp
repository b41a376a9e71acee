// A check that fails in some schedules, after others that do not, and more code behind it.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

TEST(Counter, CountsBoth) {
  std::atomic<int> count{0};
  auto increment = [&] { count.store(count.load() + 1); };
  for (int i = 0; i < 3; ++i) EXPECT_GE(count.load(), 0);
  std::thread one(increment), two(increment);
  one.join();
  two.join();
  EXPECT_EQ(count.load(), 2);
  EXPECT_LE(count.load(), 2);
}
