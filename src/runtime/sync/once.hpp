// pthread_once and function-local statics: idle, running in one thread, done.
#pragma once
#include <stdint.h>

namespace lockstep::rt {

// libc's encoding of a finished pthread_once_t; running is ours.
struct Once {
  uint32_t state;
  enum : uint32_t { kIdle = 0, kRunning = 1, kDone = 2 };
  bool can_enter() const { return state != kRunning; }
};

// The Itanium ABI's guard variable: byte 0 says initialised (the compiler tests it inline), byte 1 is ours.
struct Guard {
  uint8_t done;
  uint8_t running;
  bool can_enter() const { return done || !running; }
};

}  // namespace lockstep::rt
