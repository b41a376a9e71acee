// Explored bodies with assertions of Catch2: CHECK, which goes on, counts like REQUIRE, which throws.
#define CATCH_CONFIG_MAIN
#include <lockstep/catch2.hpp>

#include <mutex>
#include <thread>

namespace {

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

}  // namespace

LOCKSTEP_TEST("passes", "[good]", .preemptions = 1) {
  CHECK(added(false) == 2);
  CHECK_FALSE(added(false) == 1);
  CHECK_NOFAIL(added(true) == 2);
  REQUIRE_NOTHROW(added(false));
}
// Followed by one that holds, so that it does not do to look at the last.
LOCKSTEP_TEST("fails a check", "[bad]", .preemptions = 1) {
  CHECK(added(true) == 2);
  CHECK(true);
}
LOCKSTEP_TEST("fails a requirement", "[bad]", .preemptions = 1) { REQUIRE(added(true) == 2); }
LOCKSTEP_TEST("fails on purpose", "[bad]", .preemptions = 1) {
  if (added(true) != 2) FAIL_CHECK("lost one");
}
LOCKSTEP_TEST("throws nothing", "[bad]", .preemptions = 1) { CHECK_THROWS(added(false)); }
