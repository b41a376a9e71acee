// A check that fails in some schedules and does not end the test.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

TEST_CASE("counts both") {
  std::atomic<int> count{0};
  auto increment = [&] { count.store(count.load() + 1); };
  std::thread one(increment), two(increment);
  one.join();
  two.join();
  CHECK(count.load() == 2);
  CHECK(count.load() <= 2);
}
