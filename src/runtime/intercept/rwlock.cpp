// Readers-writer locks; std::shared_mutex uses these.
#include "runtime/sync/rwlock.hpp"
#include "runtime/base/timespec.hpp"

#include <errno.h>
#include <time.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/checks/frames.hpp"
#include "runtime/detect/eraser.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/intercept/mutex.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"
#include "runtime/sched/trusted_release.hpp"
#include "runtime/sched/virtual_clock.hpp"

namespace lockstep::rt {
namespace {

void update(pthread_rwlock_t* lock) {
  const RwLock& l = RwLock::of(lock);
  note_progress();
  if (!l.waiting) return;
  scheduler().update_waiters(
      lock, [&l](const Thread& t) { return t.pending.kind == OpKind::ReadLock ? l.can_read() : l.can_write(); });
}

// Readers do not synchronise with each other: only a writer acquires what they release.
const void* readers_of(const pthread_rwlock_t* lock) { return reinterpret_cast<const char*>(lock) + 1; }

void acquired(const pthread_rwlock_t* lock, bool write) {
  race_detector.acquire(self().id, lock);
  if (write) race_detector.acquire(self().id, readers_of(lock));
  eraser.locked(self().id, lock, write);
}

// A destroyed lock still works.
void check_destroyed(const pthread_rwlock_t* lock) {
  if (UNLIKELY(RwLock::of(lock).is_destroyed())) misuse(Misuse::RwLockUsedDestroyed, lock);
}

int destroy(pthread_rwlock_t* lock) {
  RwLock& l = RwLock::of(lock);
  scheduler().reach(OpKind::Destroy, lock, Step::kWrite);
  use_object(lock);
  check_destroyed(lock);
  if (UNLIKELY(l.readers || l.writer)) misuse(Misuse::RwLockDestroyedLocked, lock);
  l.destroyed = destroyed_mark(lock);
  return 0;
}

int take(pthread_rwlock_t* lock, bool write, uint8_t flags) {
  RwLock& l = RwLock::of(lock);
  Thread& me = self();
  if (l.written_by(me.id)) return EDEADLK;
  me.timed_out = false;
  ++l.waiting;
  scheduler().reach(write ? OpKind::WriteLock : OpKind::ReadLock, lock,
                    static_cast<uint8_t>(flags | (write ? Step::kWrite : 0)), write ? l.can_write() : l.can_read());
  ++me.lock_steps;
  use_object(lock, false);
  if (LIKELY(l.waiting)) --l.waiting;  // zero if it was initialised anew meanwhile
  check_destroyed(lock);
  if (me.timed_out) return ETIMEDOUT;
  if (write)
    l.writer = index_of(me.id) + 1;
  else
    ++l.readers;
  acquired(lock, write);
  update(lock);
  return 0;
}

int timed_take(pthread_rwlock_t* lock, bool write, clockid_t clock, const timespec* deadline) {
  if (!has_valid_nanoseconds(*deadline)) return EINVAL;
  self().deadline = VirtualClock::to_monotonic(clock, *deadline);
  return take(lock, write, Step::kTimed);
}

int try_take(pthread_rwlock_t* lock, bool write) {
  RwLock& l = RwLock::of(lock);
  Step& step =
      reach_attempt(write ? OpKind::TryWriteLock : OpKind::TryReadLock, lock, sizeof l.readers + sizeof l.writer);
  use_object(lock, false);
  check_destroyed(lock);
  if (write ? !l.can_write() : !l.can_read()) {
    attempt_failed(step);
    return EBUSY;
  }
  step.flags |= Step::kWrite;
  if (write)
    l.writer = index_of(self().id) + 1;
  else
    ++l.readers;
  acquired(lock, write);
  update(lock);
  return 0;
}

int unlock(pthread_rwlock_t* lock) {
  RwLock& l = RwLock::of(lock);
  const bool write = l.written_by(self().id);
  scheduler().reach(write ? OpKind::WriteUnlock : OpKind::ReadUnlock, lock,
                    static_cast<uint8_t>(write ? Step::kWrite : 0));
  ++self().lock_steps;
  use_object(lock);
  check_destroyed(lock);
  if (UNLIKELY(!write && !l.readers))
    end_misused(Misuse::RwLockUnlockedUnheld, lock);  // the C library's count of readers wraps around
  if (write)
    l.writer = 0;
  else
    --l.readers;
  eraser.unlocked(self().id, lock);
  if (write)
    race_detector.release(self().id, lock);
  else
    race_detector.release_merge(self().id, readers_of(lock));
  update(lock);
  return 0;
}

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* l) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_rwlock_rdlock)(l);
  ProgramCall frame(LOCKSTEP_STACK);
  return take(l, false, 0);
}
LOCKSTEP_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* l) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_rwlock_wrlock)(l);
  ProgramCall frame(LOCKSTEP_STACK);
  return take(l, true, 0);
}
LOCKSTEP_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* l) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_rwlock_tryrdlock)(l);
  ProgramCall frame(LOCKSTEP_STACK);
  return try_take(l, false);
}
LOCKSTEP_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* l) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_rwlock_trywrlock)(l);
  ProgramCall frame(LOCKSTEP_STACK);
  return try_take(l, true);
}
LOCKSTEP_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* l, const timespec* t) noexcept {
  return controlled() ? timed_take(l, false, CLOCK_REALTIME, t) : LOCKSTEP_REAL(pthread_rwlock_timedrdlock)(l, t);
}
LOCKSTEP_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* l, const timespec* t) noexcept {
  return controlled() ? timed_take(l, true, CLOCK_REALTIME, t) : LOCKSTEP_REAL(pthread_rwlock_timedwrlock)(l, t);
}
LOCKSTEP_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* l, clockid_t c, const timespec* t) noexcept {
  return controlled() ? timed_take(l, false, c, t) : LOCKSTEP_REAL(pthread_rwlock_clockrdlock)(l, c, t);
}
LOCKSTEP_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* l, clockid_t c, const timespec* t) noexcept {
  return controlled() ? timed_take(l, true, c, t) : LOCKSTEP_REAL(pthread_rwlock_clockwrlock)(l, c, t);
}
LOCKSTEP_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* l) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_rwlock_unlock)(l);
  ProgramCall frame(LOCKSTEP_STACK);
  TrustedRelease call(__builtin_return_address(0));
  return unlock(l);
}
LOCKSTEP_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* l) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_rwlock_destroy)(l);
  ProgramCall frame(LOCKSTEP_STACK);
  return destroy(l);
}
