// The frames of a stack that belong to the user's code: reports point at these.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/finding.hpp"

namespace lockstep {

// True if the frame is not in libc, libstdc++ or the Lockstep runtime, and not inlined from a system header.
bool is_user_code(const Frame& frame);

// All frames of a recorded stack, innermost first, inlined functions included.
std::vector<Frame> frames_of(std::span<const uint64_t> stack, Symbols& symbols);

// The user's frames; if there are none, all frames except the runtime's, from a library call in the program on.
std::vector<Frame> user_frames(std::span<const uint64_t> stack, Symbols& symbols);

// The innermost of these: the place that a report names.
std::optional<Frame> innermost_user_frame(std::span<const uint64_t> stack, Symbols& symbols);

std::string short_function(const std::string& function);  // without parameters: "Deque::pop"
std::string place_in_function(const Location& where);     // "bank.cpp:31 in transfer"; unknown parts are left out
std::string short_place(const Location& where);           // "bank.cpp:31"; empty if the line is not known
std::string long_place(const Location& where);  // "src/bank.cpp:31"; the function's module if the line is not known

}  // namespace lockstep
