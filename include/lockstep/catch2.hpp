// Support for Catch2 (2 or 3): a test case whose body is explored.
//
//   LOCKSTEP_TEST("the queue keeps its order", "[queue]", .preemptions = 2) {
//     ...
//     REQUIRE(queue.pop() == 1);
//   }
//
// The arguments after name and tags initialise lockstep::Options. A failed REQUIRE or CHECK ends its execution and is
// reported with the interleaving. Use both only in the thread that runs the body: Catch2 does not support other
// threads.
#pragma once
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_message.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/internal/catch_test_failure_exception.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include "lockstep/catch2_checks.hpp"
#include "lockstep/lockstep.hpp"

namespace lockstep::detail {

// Catch2 throws when a REQUIRE fails. Under Lockstep that is a failed requirement, not an uncaught exception.
inline void run_catch_body(void (*body)()) {
  const WatchedResults watched;
  (void)watched;
  try {
    body();
  } catch (const Catch::TestFailureException&) {
    require(!controlled(), "a REQUIRE of the test failed");
    throw;
  }
}

inline void explore_catch_body(void (*body)(), Options options) {
  const Result result = explore([body] { run_catch_body(body); }, std::move(options));
  INFO(result);
  REQUIRE(static_cast<bool>(result));
}

}  // namespace lockstep::detail

#define LOCKSTEP_DETAIL_JOIN2(a, b) a##b
#define LOCKSTEP_DETAIL_JOIN(a, b) LOCKSTEP_DETAIL_JOIN2(a, b)
#define LOCKSTEP_DETAIL_CATCH(body, name, tags, ...)                                                         \
  static void body();                                                                                        \
  TEST_CASE(name, tags) { ::lockstep::detail::explore_catch_body(&body, ::lockstep::Options{__VA_ARGS__}); } \
  static void body()
#define LOCKSTEP_TEST(name, ...) \
  LOCKSTEP_DETAIL_CATCH(LOCKSTEP_DETAIL_JOIN(lockstep_body_at_line_, __LINE__), name, __VA_ARGS__)
