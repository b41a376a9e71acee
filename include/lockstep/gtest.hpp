// Support for GoogleTest: a test whose body is explored.
//
//   LOCKSTEP_TEST(Queue, KeepsOrder, .preemptions = 2) {
//     ...
//     EXPECT_EQ(queue.pop(), 1);
//   }
//
// The arguments after the names initialise lockstep::Options. A failed EXPECT or ASSERT ends its execution and is
// reported with the interleaving. This holds for bodies passed to lockstep::explore() as well.
#pragma once
#include <gtest/gtest.h>

#include "lockstep/lockstep.hpp"

namespace lockstep::detail {

class FailOnExpectation : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& part) override {
    if (part.failed() && controlled()) {
      lockstep_rt_require_failed(part.summary(), part.file_name() ? part.file_name() : "", part.line_number());
    }
  }
};

// One listener per program, however many files include this header. GoogleTest owns it.
inline const bool listens_to_expectations = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new FailOnExpectation);
  return true;
}();

}  // namespace lockstep::detail

#define LOCKSTEP_TEST(suite, test, ...)                                                           \
  static void lockstep_body_of_##suite##_##test();                                                \
  TEST(suite, test) {                                                                             \
    const ::lockstep::Result lockstep_result =                                                    \
        ::lockstep::explore(lockstep_body_of_##suite##_##test, ::lockstep::Options{__VA_ARGS__}); \
    EXPECT_TRUE(lockstep_result) << lockstep_result;                                              \
  }                                                                                               \
  static void lockstep_body_of_##suite##_##test()
