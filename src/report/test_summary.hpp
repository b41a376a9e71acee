// All test cases of a program together.
#pragma once
#include <string>
#include <vector>

#include "report/json.hpp"
#include "report/terminal.hpp"

namespace lockstep {

// What holds of all of them. `wanted`: how many there are, run or not; `seconds`: what all took.
Exploration sum_of(const std::vector<TestResult>& tests, size_t wanted, double seconds);

// "12 tests - 11 passed, 1 with bugs (3,210 executions, 1.20 s)"
std::string tests_line(const std::vector<TestResult>& tests, size_t wanted, const Exploration& all,
                       const Terminal& terminal);

// One of them; `width`: of the names, so that lines stand in columns.
std::string named_test_line(const std::string& name, size_t width, const Exploration& result, const Terminal& terminal);

}  // namespace lockstep
