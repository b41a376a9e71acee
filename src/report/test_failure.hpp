// A failed check of a test framework, read from the program's output. The runtime only sees a program that ended with
// an exit code; the output says which check failed, and where.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "analysis/finding.hpp"

namespace lockstep {

struct TestFailure {
  std::string test;     // "Queue.Pop"; empty if the output does not name it
  std::string message;  // one line
  std::string file;
  int line = 0;
};

// The first failed check in the output of a test program.
std::optional<TestFailure> read_test_failure(std::string_view output);

// Turns an exit code that a failed check explains into an assertion with the message of the check.
void explain_by_test(Finding& finding);

}  // namespace lockstep
