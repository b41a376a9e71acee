// The state of a readers-writer lock, in the bytes of the program's own pthread_rwlock_t.
#pragma once
#include <pthread.h>
#include <stdint.h>

#include "model/ids.hpp"
#include "runtime/sync/destroyed.hpp"

namespace lockstep::rt {

struct RwLock {
  uint32_t readers;
  uint32_t writer;  // ThreadId + 1; 0: none
  uint32_t waiting;
  uint64_t destroyed;

  static RwLock& of(pthread_rwlock_t* l) { return *reinterpret_cast<RwLock*>(l); }
  static const RwLock& of(const pthread_rwlock_t* l) { return *reinterpret_cast<const RwLock*>(l); }
  bool is_destroyed() const { return destroyed == destroyed_mark(this); }
  bool can_read() const { return writer == 0; }
  bool can_write() const { return writer == 0 && readers == 0; }
  bool written_by(ThreadId t) const { return writer == index_of(t) + 1; }
};
static_assert(sizeof(RwLock) <= sizeof(pthread_rwlock_t));

}  // namespace lockstep::rt
