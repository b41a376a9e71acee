// Spin locks: mutexes of four bytes. The runtime implements them from the start of the process on: the C library uses 0
// and 1 the other way round, and a lock that a global constructor initialised is later used under control.
#include <errno.h>
#include <pthread.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/checks/frames.hpp"
#include "runtime/detect/eraser.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"

namespace lockstep::rt {
namespace {

constexpr uint32_t kDestroyed = 1u << 31;  // bit besides 0 (free) or ThreadId + 1 (held)

uint32_t& word_of(pthread_spinlock_t* lock) { return *reinterpret_cast<uint32_t*>(const_cast<int*>(lock)); }
void* object_of(pthread_spinlock_t* lock) { return const_cast<int*>(lock); }
uint32_t mine() { return index_of(self().id) + 1; }

void update(pthread_spinlock_t* lock) {
  note_progress();
  const bool free = word_of(lock) == 0;
  scheduler().update_waiters(object_of(lock), [free](const Thread&) { return free; });
}

// A destroyed lock still works.
void check_destroyed(pthread_spinlock_t* lock) {
  if (LIKELY(!(word_of(lock) & kDestroyed))) return;
  misuse(Misuse::SpinUsedDestroyed, object_of(lock));
  word_of(lock) &= ~kDestroyed;
}

int take(pthread_spinlock_t* lock) {
  word_of(lock) = mine();
  race_detector.acquire(self().id, object_of(lock));
  eraser.locked(self().id, object_of(lock), true);
  update(lock);
  return 0;
}

int lock(pthread_spinlock_t* l) {
  if (word_of(l) == mine())
    scheduler().end_waiting_for_itself(object_of(l), "a thread takes a spin lock it already holds");
  scheduler().reach(OpKind::Lock, object_of(l), Step::kWrite, (word_of(l) & ~kDestroyed) == 0);
  use_object(object_of(l), false);
  check_destroyed(l);
  return take(l);
}

int try_lock(pthread_spinlock_t* l) {
  Step& step = reach_attempt(OpKind::TryLock, object_of(l), sizeof *l);
  use_object(object_of(l), false);
  check_destroyed(l);
  if (word_of(l)) {
    attempt_failed(step);
    return EBUSY;
  }
  step.flags |= Step::kWrite;
  return take(l);
}

int unlock(pthread_spinlock_t* l) {
  scheduler().reach(OpKind::Unlock, object_of(l), Step::kWrite);
  use_object(object_of(l));
  check_destroyed(l);
  if (UNLIKELY(word_of(l) != mine()))
    misuse(word_of(l) ? Misuse::SpinUnlockedByAnother : Misuse::SpinUnlockedUnheld, object_of(l));
  word_of(l) = 0;
  race_detector.release(self().id, object_of(l));
  eraser.unlocked(self().id, object_of(l));
  update(l);
  return 0;
}

int destroy(pthread_spinlock_t* l) {
  scheduler().reach(OpKind::Destroy, object_of(l), Step::kWrite);
  use_object(object_of(l));
  check_destroyed(l);
  if (UNLIKELY(word_of(l))) misuse(Misuse::SpinDestroyedLocked, object_of(l));
  word_of(l) |= kDestroyed;
  return 0;
}

// Before control, and in threads outside of the program: held by main, as controlled threads see it later.
constexpr uint32_t kHeldOutside = 1;
int lock_outside(pthread_spinlock_t* l) {
  while (__sync_val_compare_and_swap(&word_of(l), 0, kHeldOutside) != 0) sys(SYS_sched_yield);
  return 0;
}

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int pthread_spin_init(pthread_spinlock_t* l, int shared) noexcept {
  if (!runtime.active) return LOCKSTEP_REAL(pthread_spin_init)(l, shared);
  word_of(l) = 0;
  return 0;
}
LOCKSTEP_EXPORT int pthread_spin_destroy(pthread_spinlock_t* l) noexcept {
  if (!runtime.active) return LOCKSTEP_REAL(pthread_spin_destroy)(l);
  if (!controlled()) return 0;
  ProgramCall frame(LOCKSTEP_STACK);
  return destroy(l);
}
LOCKSTEP_EXPORT int pthread_spin_lock(pthread_spinlock_t* l) noexcept {
  if (!runtime.active) return LOCKSTEP_REAL(pthread_spin_lock)(l);
  if (!controlled()) return lock_outside(l);
  ProgramCall frame(LOCKSTEP_STACK);
  return lock(l);
}
LOCKSTEP_EXPORT int pthread_spin_trylock(pthread_spinlock_t* l) noexcept {
  if (!runtime.active) return LOCKSTEP_REAL(pthread_spin_trylock)(l);
  if (!controlled()) return __sync_bool_compare_and_swap(&word_of(l), 0, kHeldOutside) ? 0 : EBUSY;
  ProgramCall frame(LOCKSTEP_STACK);
  return try_lock(l);
}
LOCKSTEP_EXPORT int pthread_spin_unlock(pthread_spinlock_t* l) noexcept {
  if (!runtime.active) return LOCKSTEP_REAL(pthread_spin_unlock)(l);
  if (!controlled()) {
    __sync_lock_release(&word_of(l));
    return 0;
  }
  ProgramCall frame(LOCKSTEP_STACK);
  return unlock(l);
}
