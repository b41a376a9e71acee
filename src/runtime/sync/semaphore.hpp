// The state of a semaphore, in libc's layout on 64-bit machines, so that sem_getvalue and an uncontrolled sem_init
// agree.
#pragma once
#include <semaphore.h>
#include <stdint.h>

#include "runtime/sync/destroyed.hpp"

namespace lockstep::rt {

struct Semaphore {
  uint32_t value;
  uint32_t waiting;
  uint64_t libc[1];    // whether it is shared between processes
  uint64_t destroyed;  // unused by libc, so sem_init has to clear it

  static Semaphore& of(sem_t* s) { return *reinterpret_cast<Semaphore*>(s); }
  bool is_destroyed() const { return destroyed == destroyed_mark(this); }
  bool can_take() const { return value > 0; }
};
static_assert(sizeof(Semaphore) <= sizeof(sem_t));

}  // namespace lockstep::rt
