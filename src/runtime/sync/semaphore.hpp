// A semaphore, laid out like libc's on 64-bit machines so that sem_getvalue and an uncontrolled sem_init agree.
#pragma once
#include <semaphore.h>
#include <stdint.h>

namespace lockstep::rt {

struct Semaphore {
  uint32_t value;
  uint32_t waiting;

  static Semaphore& of(sem_t* s) { return *reinterpret_cast<Semaphore*>(s); }
  bool can_take() const { return value > 0; }
};
static_assert(sizeof(Semaphore) <= sizeof(sem_t));

}  // namespace lockstep::rt
