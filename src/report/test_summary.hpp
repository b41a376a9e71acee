// The combined result of all test cases of a program.
#pragma once
#include <string>
#include <vector>

#include "report/json.hpp"
#include "report/terminal.hpp"

namespace lockstep {

// The result that holds for all tests. `wanted`: number of tests, run or not; `seconds`: total time.
Exploration sum_of(const std::vector<TestResult>& tests, size_t wanted, double seconds);

// "12 tests - 11 passed, 1 with bugs (3,210 executions, 1.20 s)"
std::string tests_line(const std::vector<TestResult>& tests, size_t wanted, const Exploration& all,
                       const Terminal& terminal);

// The line of one test; `width`: of the names, so that lines are aligned.
std::string named_test_line(const std::string& name, size_t width, const Exploration& result, const Terminal& terminal);

}  // namespace lockstep
