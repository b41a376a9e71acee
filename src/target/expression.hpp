// The variables that a failed assertion names, and their values. Private to the symbols library.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/observation.hpp"
#include "target/visible_variables.hpp"

namespace lockstep::debug_info {

// Of "assertion failed: x == 1" what was asserted; empty if the message is another one.
std::string_view asserted_expression(std::string_view message);

// Scalars, members of objects, elements of arrays and vectors, size() of containers; what is not understood is left
// out.
std::vector<Operand> operands_of(std::string_view expression, const std::vector<VisibleVariable>& locals,
                                 std::span<const Variables::Variable> globals, const ProcessMemory& memory);

}  // namespace lockstep::debug_info
