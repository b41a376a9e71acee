// pthread mutexes.
#include "runtime/intercept/mutex.hpp"

#include <errno.h>
#include <time.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/timespec.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/checks/frames.hpp"
#include "runtime/detect/eraser.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/intercept/processes.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"
#include "runtime/sched/trusted_release.hpp"
#include "runtime/sched/virtual_clock.hpp"
#include "runtime/sync/mutex.hpp"
#include "runtime/threads/threads.hpp"

namespace lockstep::rt {
namespace {

void remove_robust(Thread& holder, Mutex& m) {
  for (Mutex** at = &holder.robust; *at; at = &(*at)->next_robust)
    if (*at == &m) {
      *at = m.next_robust;
      return;
    }
}

int lock_robust(Thread& me, Mutex& m) {
  if (m.recovery == Mutex::kLost) return ENOTRECOVERABLE;
  m.lock(me.id);
  m.next_robust = me.robust;
  me.robust = &m;
  return m.recovery == Mutex::kOwnerDied ? EOWNERDEAD : 0;
}

// Takes a free mutex. ENOTRECOVERABLE: a robust mutex that can no longer be taken.
inline __attribute__((always_inline)) int take(Thread& me, pthread_mutex_t* mutex) {
  Mutex& m = Mutex::of(mutex);
  int result = 0;
  if (UNLIKELY(m.robust())) {
    result = lock_robust(me, m);
    if (result == ENOTRECOVERABLE) return result;
  } else {
    m.lock(me.id);
  }
  race_detector.acquire(me.id, mutex);
  eraser.locked(me.id, mutex, true);
  if (UNLIKELY(m.waiting)) scheduler().update_waiters(mutex, [](const Thread&) { return false; });
  return result;
}

}  // namespace

// The C library's error for using a destroyed mutex.
static int use_destroyed(const pthread_mutex_t* mutex) {
  misuse(Misuse::MutexUsedDestroyed, mutex);
  return EINVAL;
}

int take_mutex(pthread_mutex_t* mutex, OpKind kind, uint8_t flags, Companion second, bool woken) {
  Mutex& m = Mutex::of(mutex);
  Thread& me = self();
  Scheduler& s = scheduler();
  me.timed_out = false;
  ++m.waiting;
  s.reach(kind, mutex, flags | Step::kWrite, woken && m.can_lock(), second);
  ++self().lock_steps;
  use_object(mutex, false);
  if (LIKELY(m.waiting)) --m.waiting;  // zero if it was initialised anew meanwhile
  if (UNLIKELY(me.timed_out)) return ETIMEDOUT;
  if (UNLIKELY(m.destroyed())) return use_destroyed(mutex);
  return take(me, mutex);
}

namespace {
void offer(pthread_mutex_t* mutex) {
  note_progress();
  if (UNLIKELY(Mutex::of(mutex).waiting))
    scheduler().update_waiters(mutex, [](const Thread& t) { return t.pending.kind != OpKind::Reacquire || t.woken; });
}
}  // namespace

void free_mutex(pthread_mutex_t* mutex) {
  Mutex& m = Mutex::of(mutex);
  if (UNLIKELY(m.robust())) {
    remove_robust(self(), m);
    if (m.recovery == Mutex::kOwnerDied) m.recovery = Mutex::kLost;
  }
  m.unlock();
  wake_children(&m.locked);
  race_detector.release(self().id, mutex);
  eraser.unlocked(self().id, mutex);
  offer(mutex);
}

// The running thread ends while it holds robust mutexes.
static void abandon() {
  Thread& me = self();
  while (Mutex* m = me.robust) {
    // Other threads can see the time of the release, so it is a step, unlike the rest of a thread's end.
    scheduler().reach(OpKind::Unlock, m, Step::kWrite);
    ++self().lock_steps;
    me.robust = m->next_robust;
    m->unlock();
    race_detector.release(me.id, m);
    eraser.unlocked(me.id, m);
    m->recovery = Mutex::kOwnerDied;
    offer(reinterpret_cast<pthread_mutex_t*>(m));
  }
}

namespace {

int lock(pthread_mutex_t* mutex, uint8_t flags = 0) {
  Mutex& m = Mutex::of(mutex);
  const ThreadId me = self().id;
  if (UNLIKELY(m.owned_by(me)) && !m.destroyed()) {
    if (m.type() == Mutex::Type::Recursive) {
      ++m.depth;  // only the outermost lock and unlock are visible to other threads
      return 0;
    }
    if (m.type() == Mutex::Type::ErrorCheck) return EDEADLK;
    if (!(flags & Step::kTimed)) {
      scheduler().end_waiting_for_itself(mutex, "a thread locks a mutex it already holds");
    }
  }
  return take_mutex(mutex, OpKind::Lock, flags, {}, true);
}

int timed_lock(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) {
  if (!has_valid_nanoseconds(*deadline)) return EINVAL;
  self().deadline = VirtualClock::to_monotonic(clock, *deadline);
  return lock(mutex, Step::kTimed);
}

int try_lock(pthread_mutex_t* mutex) {
  Mutex& m = Mutex::of(mutex);
  Thread& me = self();
  if (m.owned_by(me.id) && m.type() == Mutex::Type::Recursive) {
    ++m.depth;
    return 0;
  }
  Step& step = reach_attempt(OpKind::TryLock, mutex, sizeof m.locked);
  use_object(mutex, false);
  if (UNLIKELY(m.destroyed())) return use_destroyed(mutex);
  if (!m.can_lock()) {
    attempt_failed(step);
    return EBUSY;
  }
  const int result = take(me, mutex);
  if (LIKELY(result != ENOTRECOVERABLE)) step.flags |= Step::kWrite;
  return result;
}

int unlock(pthread_mutex_t* mutex) {
  Mutex& m = Mutex::of(mutex);
  const ThreadId me = self().id;
  if (UNLIKELY(!m.owned_by(me)) && m.checks_owner() && !m.destroyed()) return EPERM;
  if (m.depth > 1 && m.type() == Mutex::Type::Recursive) {
    --m.depth;
    return 0;
  }
  scheduler().reach(OpKind::Unlock, mutex, Step::kWrite);
  ++self().lock_steps;
  use_object(mutex);
  if (UNLIKELY(m.destroyed())) return use_destroyed(mutex);
  if (UNLIKELY(!m.owned_by(me))) {  // its holder loses it
    misuse(m.owner ? Misuse::MutexUnlockedByAnother : Misuse::MutexUnlockedUnheld, mutex);
    if (!m.owner) return 0;
  }
  free_mutex(mutex);
  return 0;
}

int make_consistent(pthread_mutex_t* mutex) {
  Mutex& m = Mutex::of(mutex);
  if (!m.robust() || m.recovery != Mutex::kOwnerDied || !m.owned_by(self().id)) return EINVAL;
  m.recovery = Mutex::kConsistent;
  return 0;
}

// libc's version takes the mutex by its lock word and would wait forever, because the runtime stores the holder.
int set_ceiling(pthread_mutex_t* mutex, int ceiling, int* old) {
  Mutex& m = Mutex::of(mutex);
  if (!(m.kind & 64) || ceiling < 0 || ceiling > 99) return EINVAL;  // 64: PTHREAD_PRIO_PROTECT
  if (const int error = lock(mutex)) return error;
  if (old) *old = static_cast<int>(m.locked >> 19);
  m.locked = (m.locked & ~Mutex::kCeilingBits) | static_cast<uint32_t>(ceiling) << 19;
  return unlock(mutex);
}

int destroy(pthread_mutex_t* mutex) {
  Mutex& m = Mutex::of(mutex);
  scheduler().reach(OpKind::Destroy, mutex, Step::kWrite);
  use_object(mutex);
  if (UNLIKELY(m.destroyed())) {
    misuse(Misuse::MutexDestroyedTwice, mutex);
    return 0;
  }
  if (UNLIKELY(m.owner)) {
    misuse(Misuse::MutexDestroyedLocked, mutex);
    return EBUSY;  // the mutex remains usable
  }
  m.kind = -1;
  race_detector.forget(mutex);
  return 0;
}

}  // namespace

const Module mutex_module = {
    .name = "mutexes",
    .start = [] { abandon_mutexes = abandon; },
};

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  if (from_unwinder(__builtin_return_address(0))) return 0;
  if (!controlled()) return LOCKSTEP_REAL(pthread_mutex_lock)(m);
  ProgramCall frame(LOCKSTEP_STACK);
  return lock(m);
}
LOCKSTEP_EXPORT int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_mutex_trylock)(m);
  ProgramCall frame(LOCKSTEP_STACK);
  return try_lock(m);
}
LOCKSTEP_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* deadline) noexcept {
  return controlled() ? timed_lock(m, CLOCK_REALTIME, deadline) : LOCKSTEP_REAL(pthread_mutex_timedlock)(m, deadline);
}
LOCKSTEP_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* deadline) noexcept {
  return controlled() ? timed_lock(m, clock, deadline) : LOCKSTEP_REAL(pthread_mutex_clocklock)(m, clock, deadline);
}
LOCKSTEP_EXPORT int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
  if (from_unwinder(__builtin_return_address(0))) return 0;
  if (!controlled()) return LOCKSTEP_REAL(pthread_mutex_unlock)(m);
  ProgramCall frame(LOCKSTEP_STACK);
  TrustedRelease call(__builtin_return_address(0));
  return unlock(m);
}
LOCKSTEP_EXPORT int pthread_mutex_destroy(pthread_mutex_t* m) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_mutex_destroy)(m);
  ProgramCall frame(LOCKSTEP_STACK);
  return destroy(m);
}

LOCKSTEP_EXPORT int pthread_mutex_consistent(pthread_mutex_t* m) noexcept {
  return controlled() ? make_consistent(m) : LOCKSTEP_REAL(pthread_mutex_consistent)(m);
}
LOCKSTEP_EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t* m, int ceiling, int* old) noexcept {
  return controlled() ? set_ceiling(m, ceiling, old) : LOCKSTEP_REAL(pthread_mutex_setprioceiling)(m, ceiling, old);
}
