// The state of a mutex, kept in the bytes of the program's own pthread_mutex_t: restoring memory restores it, and
// a statically initialised mutex needs no registration. A pure state machine; knows nothing of threads that wait.
#pragma once
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ids.hpp"

namespace lockstep::rt {

struct Mutex {
  uint32_t locked;   // 0 or 1, where libc has its lock word
  uint32_t depth;    // of a recursive mutex
  uint32_t owner;    // ThreadId + 1, 0: nobody
  uint32_t waiting;  // threads whose pending operation is to take this mutex
  int32_t kind;      // libc's, set by pthread_mutex_init or the static initialiser
  enum Recovery : uint32_t { kConsistent, kOwnerDied, kLost };
  Recovery recovery;   // of a robust mutex; kLost: unlocked without having been made consistent
  Mutex* next_robust;  // held by the same thread

  static Mutex& of(pthread_mutex_t* m) { return *reinterpret_cast<Mutex*>(m); }

  enum class Type : int { Normal, Recursive, ErrorCheck, Adaptive };
  Type type() const { return static_cast<Type>(kind & 3); }
  bool robust() const { return kind & 16; }
  bool destroyed() const { return kind == -1; }

  bool owned_by(ThreadId t) const { return owner == index_of(t) + 1; }
  bool can_lock() const { return owner == 0; }
  void lock(ThreadId t) {
    locked |= 1;  // the upper bits are the priority ceiling of a PTHREAD_PRIO_PROTECT mutex
    owner = index_of(t) + 1;
    depth = 1;
  }
  void unlock() {
    locked &= ~1u;
    owner = 0;
    depth = 0;
  }
};
static_assert(sizeof(Mutex) <= sizeof(pthread_mutex_t));
static_assert(offsetof(Mutex, kind) == offsetof(__pthread_mutex_s, __kind), "libc initialises the kind");

}  // namespace lockstep::rt
