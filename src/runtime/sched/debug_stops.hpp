// Stops for `lockstep debug`. gdb sets breakpoints on these functions. It reads and writes `lockstep_debug` by its
// layout, because the runtime may be installed without debug information.
#pragma once
#include <stdint.h>

#include "runtime/base/system.hpp"

namespace lockstep::rt {

struct DebugStops {
  uint32_t records;  // in the trace so far
  uint32_t until;    // set by gdb: stop at this number of records; 0: never
  bool failed;
};

}  // namespace lockstep::rt

extern "C" {
__attribute__((visibility("default"))) extern lockstep::rt::DebugStops lockstep_debug;
// Called on the thread whose operation is record lockstep_debug.until, just before that operation.
__attribute__((visibility("default"))) void lockstep_debug_step();
// Called when the execution fails, on the thread that failed or ran last.
__attribute__((visibility("default"))) void lockstep_debug_failure();
}

namespace lockstep::rt {

// Detailed executions: a record was added.
inline void debug_step(uint32_t records) {
  lockstep_debug.records = records;
  if (UNLIKELY(records == lockstep_debug.until)) lockstep_debug_step();
}

// Under a debugger: stops while the failure is still on the stack; once per execution.
inline void debug_failure() {
  if (!lockstep_debug.failed) lockstep_debug_failure();
  lockstep_debug.failed = true;
}

}  // namespace lockstep::rt
