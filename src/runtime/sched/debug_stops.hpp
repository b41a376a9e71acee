// Where `lockstep debug` stops. gdb has breakpoints on these functions; it reads and writes `lockstep_debug` by its
// layout, because the runtime may be installed without debug information.
#pragma once
#include <stdint.h>

#include "runtime/base/system.hpp"

namespace lockstep::rt {

struct DebugStops {
  uint32_t records;  // of the trace so far
  uint32_t until;    // set by gdb: stop when there are so many; 0: do not
  bool failed;
};

}  // namespace lockstep::rt

extern "C" {
__attribute__((visibility("default"))) extern lockstep::rt::DebugStops lockstep_debug;
// On the thread whose operation is the record lockstep_debug.until. It is about to be executed.
__attribute__((visibility("default"))) void lockstep_debug_step();
// The execution fails, on the thread that failed or was the last to run.
__attribute__((visibility("default"))) void lockstep_debug_failure();
}

namespace lockstep::rt {

// Of detailed executions: there is one more record.
inline void debug_step(uint32_t records) {
  lockstep_debug.records = records;
  if (UNLIKELY(records == lockstep_debug.until)) lockstep_debug_step();
}

// Under a debugger: where the failure can still be seen on the stack; once per execution.
inline void debug_failure() {
  if (!lockstep_debug.failed) lockstep_debug_failure();
  lockstep_debug.failed = true;
}

}  // namespace lockstep::rt
