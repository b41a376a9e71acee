// Call stacks of the running thread.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

// Return addresses of the running thread, innermost first, without the runtime's own frames. Slow: for detailed
// executions and the watchdog. `whole`: set if the stack reaches the thread's start.
size_t backtrace(uint64_t* out, size_t most, bool* whole = nullptr);

#if defined(__x86_64__)
inline constexpr int kRegisters = 16;
#else
inline constexpr int kRegisters = 31;
#endif
// The innermost frame outside the runtime, as it will be when the runtime returns to it.
struct CallerState {
  uintptr_t pc, stack_pointer;
  uint64_t registers[kRegisters];  // those that the code may still use; else 0
};
bool caller_state(CallerState& out);
// The same, with the call path: `path`[0] is its pc, followed by the return addresses of up to `most` - 1 callers.
size_t caller_state(CallerState& out, uint64_t* path, size_t most);

}  // namespace lockstep::rt
