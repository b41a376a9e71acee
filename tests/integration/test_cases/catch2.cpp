// A Catch2 program: names that its command line has to quote, a failing check, a hidden test.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include <mutex>
#include <thread>

int added(bool lose) {
  std::mutex mutex;
  int count = 0;
  auto add = [&] {
    std::unique_lock lock(mutex);
    const int seen = count;
    if (lose) lock.unlock(), lock.lock();
    count = seen + 1;
  };
  std::thread other(add);
  add();
  other.join();
  return count;
}

TEST_CASE("adds up, always", "[good]") { REQUIRE(added(false) == 2); }
TEST_CASE("loses [one]", "[bad]") { REQUIRE(added(true) == 2); }
TEST_CASE("hidden", "[.]") { REQUIRE(false); }
