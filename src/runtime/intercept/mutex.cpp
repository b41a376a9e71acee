// pthread mutexes and spin locks.
#include "runtime/sync/mutex.hpp"

#include <errno.h>
#include <time.h>

#include "runtime/root.hpp"
#include "runtime/sync/taking.hpp"

namespace lockstep::rt {

int take_mutex(pthread_mutex_t* mutex, OpKind kind, uint8_t flags, const void* second, bool woken) {
  Mutex& m = Mutex::of(mutex);
  Thread& me = self();
  Scheduler& s = scheduler();
  me.timed_out = false;
  ++m.waiting;
  s.reach(kind, mutex, flags | Step::kWrite, woken && m.can_lock(), second);
  --m.waiting;
  if (UNLIKELY(me.timed_out)) return ETIMEDOUT;
  m.lock(me.id);
  runtime.races.acquire(me.id, mutex);
  if (UNLIKELY(m.waiting)) s.update_waiters(mutex, [](const Thread&) { return false; });
  return 0;
}

void free_mutex(pthread_mutex_t* mutex) {
  Mutex& m = Mutex::of(mutex);
  m.unlock();
  runtime.races.release(self().id, mutex);
  if (UNLIKELY(m.waiting))
    scheduler().update_waiters(mutex, [](const Thread& t) { return t.pending.kind != OpKind::Reacquire || t.woken; });
}

[[noreturn]] void misuse(const char* pattern, const void* object) {
  char text[160];
  format(text, sizeof text, pattern, reinterpret_cast<uint64_t>(object));
  scheduler().end(Outcome::LockMisuse, 0, text);
}

namespace {

int lock(pthread_mutex_t* mutex, uint8_t flags = 0) {
  Mutex& m = Mutex::of(mutex);
  const ThreadId me = self().id;
  if (UNLIKELY(m.destroyed())) misuse("a destroyed mutex (%x) is locked", mutex);
  if (UNLIKELY(m.owned_by(me))) {
    if (m.type() == Mutex::Type::Recursive) {
      ++m.depth;  // only the outermost lock and unlock are visible to others
      return 0;
    }
    if (m.type() == Mutex::Type::ErrorCheck) return EDEADLK;
    if (!(flags & Step::kTimed)) {
      scheduler().end_waiting_for_itself(mutex, "a thread locks a mutex it already holds");
    }
  }
  return take_mutex(mutex, OpKind::Lock, flags, nullptr, true);
}

int timed_lock(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) {
  if (deadline->tv_nsec < 0 || deadline->tv_nsec >= 1'000'000'000) return EINVAL;
  self().deadline = Clock::to_monotonic(clock, *deadline);
  return lock(mutex, Step::kTimed);
}

int try_lock(pthread_mutex_t* mutex) {
  Mutex& m = Mutex::of(mutex);
  Thread& me = self();
  if (UNLIKELY(m.destroyed())) misuse("a destroyed mutex (%x) is locked", mutex);
  if (m.owned_by(me.id) && m.type() == Mutex::Type::Recursive) {
    ++m.depth;
    return 0;
  }
  Step& step = scheduler().reach(OpKind::TryLock, mutex, Step::kConditional);
  if (!m.can_lock()) return EBUSY;
  step.flags |= Step::kWrite;
  m.lock(me.id);
  runtime.races.acquire(me.id, mutex);
  if (UNLIKELY(m.waiting)) scheduler().update_waiters(mutex, [](const Thread&) { return false; });
  return 0;
}

int unlock(pthread_mutex_t* mutex) {
  Mutex& m = Mutex::of(mutex);
  const ThreadId me = self().id;
  if (UNLIKELY(!m.owned_by(me))) {
    if (m.type() == Mutex::Type::ErrorCheck || m.type() == Mutex::Type::Recursive || m.robust()) return EPERM;
    misuse(m.owner ? "a mutex (%x) is unlocked by a thread that does not hold it" : "a mutex (%x) is unlocked that nobody holds",
           mutex);
  }
  if (m.depth > 1) {
    --m.depth;
    return 0;
  }
  scheduler().reach(OpKind::Unlock, mutex, Step::kWrite);
  free_mutex(mutex);
  return 0;
}

int destroy(pthread_mutex_t* mutex) {
  Mutex& m = Mutex::of(mutex);
  if (UNLIKELY(m.destroyed())) misuse("a mutex (%x) is destroyed twice", mutex);
  if (UNLIKELY(m.owner || m.waiting)) misuse("a mutex (%x) is destroyed while it is locked", mutex);
  m.kind = -1;
  runtime.races.forget(mutex);
  return 0;
}

// Spin locks are mutexes of four bytes: 0 free, ThreadId + 1 held.
uint32_t& spin_word(pthread_spinlock_t* lock) { return *reinterpret_cast<uint32_t*>(const_cast<int*>(lock)); }
void spin_update(pthread_spinlock_t* lock) {
  const bool free = spin_word(lock) == 0;
  scheduler().update_waiters(const_cast<int*>(lock), [free](const Thread&) { return free; });
}

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  if (from_unwinder(__builtin_return_address(0))) return 0;
  return controlled() ? lock(m) : LOCKSTEP_REAL(pthread_mutex_lock)(m);
}
LOCKSTEP_EXPORT int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
  return controlled() ? try_lock(m) : LOCKSTEP_REAL(pthread_mutex_trylock)(m);
}
LOCKSTEP_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* deadline) noexcept {
  return controlled() ? timed_lock(m, CLOCK_REALTIME, deadline) : LOCKSTEP_REAL(pthread_mutex_timedlock)(m, deadline);
}
LOCKSTEP_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* deadline) noexcept {
  return controlled() ? timed_lock(m, clock, deadline) : LOCKSTEP_REAL(pthread_mutex_clocklock)(m, clock, deadline);
}
LOCKSTEP_EXPORT int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
  if (from_unwinder(__builtin_return_address(0))) return 0;
  return controlled() ? unlock(m) : LOCKSTEP_REAL(pthread_mutex_unlock)(m);
}
LOCKSTEP_EXPORT int pthread_mutex_destroy(pthread_mutex_t* m) noexcept {
  return controlled() ? destroy(m) : LOCKSTEP_REAL(pthread_mutex_destroy)(m);
}

LOCKSTEP_EXPORT int pthread_spin_init(pthread_spinlock_t* l, int shared) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_spin_init)(l, shared);
  spin_word(l) = 0;
  return 0;
}
LOCKSTEP_EXPORT int pthread_spin_lock(pthread_spinlock_t* l) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_spin_lock)(l);
  if (spin_word(l) == index_of(self().id) + 1) {
    scheduler().end_waiting_for_itself(const_cast<int*>(l), "a thread takes a spin lock it already holds");
  }
  scheduler().reach(OpKind::Lock, const_cast<int*>(l), Step::kWrite, spin_word(l) == 0);
  spin_word(l) = index_of(self().id) + 1;
  runtime.races.acquire(self().id, const_cast<int*>(l));
  spin_update(l);
  return 0;
}
LOCKSTEP_EXPORT int pthread_spin_trylock(pthread_spinlock_t* l) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_spin_trylock)(l);
  Step& step = scheduler().reach(OpKind::TryLock, const_cast<int*>(l), Step::kConditional);
  if (spin_word(l)) return EBUSY;
  step.flags |= Step::kWrite;
  spin_word(l) = index_of(self().id) + 1;
  runtime.races.acquire(self().id, const_cast<int*>(l));
  spin_update(l);
  return 0;
}
LOCKSTEP_EXPORT int pthread_spin_unlock(pthread_spinlock_t* l) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_spin_unlock)(l);
  if (!spin_word(l)) misuse("a spin lock (%x) is unlocked that nobody holds", const_cast<int*>(l));
  scheduler().reach(OpKind::Unlock, const_cast<int*>(l), Step::kWrite);
  spin_word(l) = 0;
  runtime.races.release(self().id, const_cast<int*>(l));
  spin_update(l);
  return 0;
}
LOCKSTEP_EXPORT int pthread_spin_destroy(pthread_spinlock_t* l) noexcept {
  return controlled() ? 0 : LOCKSTEP_REAL(pthread_spin_destroy)(l);
}
