// The code that --trust names: by function, or all of a module.
#pragma once
#include <string>
#include <vector>

#include "target/target.hpp"

namespace lockstep {

// Where the functions that match any of the globs and those of matching modules lie in the process, ascending. A
// function is matched by its readable name, with or without parameters; a module by its path or its file name.
// Functions that were inlined everywhere are nowhere.
std::vector<CodeRange> find_code(const std::vector<Module>& modules, const std::vector<std::string>& globs);

}  // namespace lockstep
