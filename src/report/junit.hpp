// The result as JUnit XML, which continuous integration servers read: one test case per program or test.
#pragma once
#include <string>

#include "report/json.hpp"

namespace lockstep {

std::string to_junit(const JsonReport& report, const Exploration& result);

}  // namespace lockstep
