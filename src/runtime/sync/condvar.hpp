// A condition variable has no state of its own here but that it is destroyed: its queue is the set of threads whose
// pending Reacquire names it and who have not been woken.
#pragma once
#include <pthread.h>

#include "runtime/base/thread.hpp"
#include "runtime/sync/destroyed.hpp"

namespace lockstep::rt {

inline bool waits_on(const Thread& t, const void* condition) { return t.queue == condition && !t.woken; }

// In the bytes of libc's state that nobody needs here; pthread_cond_init and the static initialiser clear them.
inline bool is_destroyed(const pthread_cond_t* condition) {
  return *reinterpret_cast<const uint64_t*>(condition) == destroyed_mark(condition);
}
inline void mark_destroyed(pthread_cond_t* condition) {
  *reinterpret_cast<uint64_t*>(condition) = destroyed_mark(condition);
}

}  // namespace lockstep::rt
