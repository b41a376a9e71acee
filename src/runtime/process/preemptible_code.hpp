// What --preempt-in names, if anything: a thread is preempted only while such code is on its stack (Thread::chosen).
#pragma once
#include "runtime/process/code_ranges.hpp"

namespace lockstep::rt {

inline constinit CodeRanges preemptible_code{};

}  // namespace lockstep::rt
