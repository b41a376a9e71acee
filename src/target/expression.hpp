// Reads the variables that a failed assertion names. Private to the symbols library.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/observation.hpp"
#include "target/visible_variables.hpp"

namespace lockstep::debug_info {

// The asserted expression in "assertion failed: x == 1"; empty for other messages.
std::string_view asserted_expression(std::string_view message);

// Reads scalars, members of objects, elements of arrays and vectors, and size() of containers. Everything else is left
// out.
std::vector<Operand> operands_of(std::string_view expression, const std::vector<VisibleVariable>& locals,
                                 std::span<const Variables::Variable> globals, const ProcessMemory& memory);

}  // namespace lockstep::debug_info
