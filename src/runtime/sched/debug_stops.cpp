// The functions that `lockstep debug` sets breakpoints on.
#include "runtime/sched/debug_stops.hpp"

constinit lockstep::rt::DebugStops lockstep_debug{};

__attribute__((noinline)) void lockstep_debug_step() { asm volatile(""); }
__attribute__((noinline)) void lockstep_debug_failure() { asm volatile(""); }
