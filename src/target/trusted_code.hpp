// The code that --trust names: functions, or whole modules.
#pragma once
#include <string>
#include <vector>

#include "target/target.hpp"

namespace lockstep {

// The address ranges of functions that match any of the globs, and of matching modules, ascending. A function is
// matched by its readable name, with or without parameters; a module by its path or file name. A function that is
// inlined everywhere has no range.
std::vector<CodeRange> find_code(const std::vector<Module>& modules, const std::vector<std::string>& globs);

}  // namespace lockstep
