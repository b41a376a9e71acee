// A condition variable has only one bit of state here, whether it is destroyed. Its queue is the set of threads that
// have not been woken and whose pending Reacquire names it.
#pragma once
#include <pthread.h>

#include "runtime/base/thread.hpp"
#include "runtime/sync/destroyed.hpp"

namespace lockstep::rt {

inline bool waits_on(const Thread& t, const void* condition) { return t.queue == condition && !t.woken; }

// Stored in bytes of libc's state that are not needed here; pthread_cond_init and the static initialiser clear them.
inline bool is_destroyed(const pthread_cond_t* condition) {
  return *reinterpret_cast<const uint64_t*>(condition) == destroyed_mark(condition);
}
inline void mark_destroyed(pthread_cond_t* condition) {
  *reinterpret_cast<uint64_t*>(condition) = destroyed_mark(condition);
}

}  // namespace lockstep::rt
