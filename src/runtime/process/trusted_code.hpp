// Code that is assumed to be correct (preemption sealing): while it is on the stack, its thread is not preempted, but
// may have to wait. It consists of the code that --trust names and, always, of internals of the C and C++ libraries.
#pragma once
#include "runtime/process/code_ranges.hpp"

namespace lockstep::rt {

inline constinit CodeRanges trusted_code{};

}  // namespace lockstep::rt
