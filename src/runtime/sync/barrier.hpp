// The state of a barrier, in the bytes of the program's own pthread_barrier_t.
#pragma once
#include <pthread.h>
#include <stdint.h>

namespace lockstep::rt {

struct Barrier {
  uint32_t arrived;
  uint32_t needed;
  uint32_t magic;

  static constexpr uint32_t kMagic = 0x42415252, kDestroyed = 0x64415252;
  static Barrier& of(pthread_barrier_t* b) { return *reinterpret_cast<Barrier*>(b); }
  bool arrive_completes() {  // true for the last arrival, which starts the next round
    if (++arrived < needed) return false;
    arrived = 0;
    return true;
  }
};
static_assert(sizeof(Barrier) <= sizeof(pthread_barrier_t));

}  // namespace lockstep::rt
