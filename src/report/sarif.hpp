// The bugs as SARIF 2.1.0, which code-scanning services read.
#pragma once
#include <string>

#include "report/json.hpp"

namespace lockstep {

std::string to_sarif(const JsonReport& report, const Exploration& result);

}  // namespace lockstep
