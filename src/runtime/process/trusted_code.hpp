// Code that is known to be right: while it is on the stack its thread is not preempted, though it may have to wait
// (preemption sealing). What --trust names, and of itself what the C and C++ libraries do under the hood.
#pragma once
#include "runtime/process/code_ranges.hpp"

namespace lockstep::rt {

inline constinit CodeRanges trusted_code{};

}  // namespace lockstep::rt
