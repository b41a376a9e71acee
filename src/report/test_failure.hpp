// What a test framework printed about a failed check. To the runtime such a test is a program that ended with an exit
// code; its output says which check failed, and where.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "analysis/finding.hpp"

namespace lockstep {

struct TestFailure {
  std::string test;     // "Queue.Pop"; empty if it did not say
  std::string message;  // one line
  std::string file;
  int line = 0;
};

// The first failed check in the output of a GoogleTest or Catch2 program.
std::optional<TestFailure> read_test_failure(std::string_view output);

// An exit code that a failed check explains becomes an assertion with the words of that check.
void explain_by_test(Finding& finding);

}  // namespace lockstep
