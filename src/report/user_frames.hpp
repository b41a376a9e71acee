// Which frames of a stack are the user's own: those a report points at.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/finding.hpp"

namespace lockstep {

// Not in libc, libstdc++ or the Lockstep runtime, not inlined from a system header.
bool is_user_code(const Frame& frame);

// All frames of a recorded stack, innermost first, inlined functions included.
std::vector<Frame> frames_of(std::span<const uint64_t> stack, Symbols& symbols);

// The user's frames of it; if there are none, whatever is left without the runtime's own.
std::vector<Frame> user_frames(std::span<const uint64_t> stack, Symbols& symbols);

// Where a report says something happened: the innermost user frame.
std::optional<Frame> innermost_user_frame(std::span<const uint64_t> stack, Symbols& symbols);

std::string short_function(const std::string& function);  // without parameters: "Deque::pop"
std::string place_in_function(const Location& where);     // "bank.cpp:31 in transfer"; what there is of it
std::string short_place(const Location& where);           // "bank.cpp:31"; empty without a line
std::string long_place(const Location& where);  // "src/bank.cpp:31"; the function's module when there is no line

}  // namespace lockstep
