// Man pages: one for the tool, one for each command, one for the compiler wrappers.
#pragma once
#include <string>
#include <string_view>

namespace lockstep {

// `name`: "lockstep", "lockstep-run", ..., "lockstep-cxx"; empty if there is no such page.
std::string man_page(std::string_view name);

}  // namespace lockstep
