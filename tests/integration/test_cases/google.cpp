// A GoogleTest program with its own main: two tests that pass, a deadlock, a failing check, a disabled test.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

std::mutex a, b;

TEST(Locks, Ordered) {
  std::thread other([] { std::scoped_lock both(a, b); });
  { std::scoped_lock both(a, b); }
  other.join();
}

TEST(Locks, Inverted) {
  std::thread other([] {
    std::lock_guard first(a);
    std::lock_guard second(b);
  });
  {
    std::lock_guard first(b);
    std::lock_guard second(a);
  }
  other.join();
}

TEST(Counter, LosesOne) {
  std::mutex mutex;
  int count = 0;
  auto add = [&] {
    int seen;
    {
      std::lock_guard lock(mutex);
      seen = count;
    }
    std::lock_guard lock(mutex);
    count = seen + 1;
  };
  std::thread other(add);
  add();
  other.join();
  EXPECT_EQ(count, 2);
}

TEST(Counter, DISABLED_Never) { FAIL(); }

class Sums : public testing::TestWithParam<int> {};
TEST_P(Sums, AddUp) {
  std::atomic<int> sum{0};
  std::thread other([&] { sum += GetParam(); });
  sum += 1;
  other.join();
  EXPECT_EQ(sum, GetParam() + 1);
}
INSTANTIATE_TEST_SUITE_P(Some, Sums, testing::Values(1));

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
