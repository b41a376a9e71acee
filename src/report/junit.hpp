// The result as JUnit XML, the form continuous integration servers read: one test case per program.
#pragma once
#include <string>

#include "report/json.hpp"

namespace lockstep {

std::string to_junit(const JsonReport& report, const Exploration& result);

}  // namespace lockstep
