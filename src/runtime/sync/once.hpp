// pthread_once and function-local statics: idle, running in one thread, or done.
#pragma once
#include <stdint.h>

namespace lockstep::rt {

// kDone is libc's encoding of a finished pthread_once_t; kRunning is the runtime's own.
struct Once {
  uint32_t state;
  enum : uint32_t { kIdle = 0, kRunning = 1, kDone = 2 };
  bool can_enter() const { return state != kRunning; }
};

// The Itanium ABI's guard variable. Byte 0: initialised (the compiler tests it inline). Byte 1 belongs to the runtime.
struct Guard {
  uint8_t done;
  uint8_t running;
  bool can_enter() const { return done || !running; }
};

}  // namespace lockstep::rt
