// Code that --preempt-in names, if any: a thread is preempted only while such code is on its stack (Thread::chosen_sp).
#pragma once
#include "runtime/process/code_ranges.hpp"

namespace lockstep::rt {

inline constinit CodeRanges preemptible_code{};

}  // namespace lockstep::rt
