// POSIX semaphores, in libc's layout.
#include "runtime/sync/semaphore.hpp"
#include "runtime/base/errors.hpp"
#include "runtime/base/timespec.hpp"
#include "runtime/threads/interrupt.hpp"

#include <errno.h>
#include <time.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/checks/frames.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/intercept/processes.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"
#include "runtime/sched/virtual_clock.hpp"

namespace lockstep::rt {
namespace {

void update(sem_t* semaphore) {
  const Semaphore& s = Semaphore::of(semaphore);
  note_progress();
  if (!s.waiting) return;
  const bool can_take = s.can_take();
  scheduler().update_waiters(semaphore, [can_take](const Thread& t) { return can_take || cancelled(t); });
}

void set_before(Step& step, uint32_t value) { step.second = Companion::units(value); }  // to decide reversibility

// The current step uses the semaphore. A destroyed one still works.
void use(const sem_t* semaphore) {
  use_object(semaphore);
  if (UNLIKELY(Semaphore::of(const_cast<sem_t*>(semaphore)).is_destroyed()))
    misuse(Misuse::SemaphoreUsedDestroyed, semaphore);
}

int wait(sem_t* semaphore, uint8_t flags) {
  Semaphore& s = Semaphore::of(semaphore);
  Thread& me = self();
  cancellation_point();
  me.timed_out = false;
  if (UNLIKELY(has_children()) && !s.can_take() && is_shared_memory(reinterpret_cast<uintptr_t>(semaphore)))
    await_children([&s] { return s.can_take(); });
  ++s.waiting;
  Step& step = scheduler().reach(OpKind::SemWait, semaphore, static_cast<uint8_t>(flags | Step::kWrite), s.can_take());
  use(semaphore);
  if (LIKELY(s.waiting)) --s.waiting;  // zero if it was initialised anew meanwhile
  if (interrupted_wait(me)) return me.restarts ? wait(semaphore, flags) : fail_with(EINTR);
  if (me.timed_out) return fail_with(ETIMEDOUT);
  if (UNLIKELY(!s.can_take())) cancelled_while_waiting(step);
  set_before(step, s.value);
  --s.value;
  race_detector.acquire(me.id, semaphore);
  update(semaphore);
  return 0;
}

int timed_wait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  if (!has_valid_nanoseconds(*deadline)) return fail_with(EINVAL);
  self().deadline = VirtualClock::to_monotonic(clock, *deadline);
  return wait(semaphore, Step::kTimed);
}

int try_wait(sem_t* semaphore) {
  Semaphore& s = Semaphore::of(semaphore);
  Step& step = reach_attempt(OpKind::SemTryWait, semaphore, sizeof s.value);
  use(semaphore);
  set_before(step, s.value);
  if (!s.can_take()) {
    attempt_failed(step);
    return fail_with(EAGAIN);
  }
  step.flags |= Step::kWrite;
  --s.value;
  race_detector.acquire(self().id, semaphore);
  update(semaphore);
  return 0;
}

int post(sem_t* semaphore) {
  Semaphore& s = Semaphore::of(semaphore);
  Step& step = scheduler().reach(OpKind::SemPost, semaphore, Step::kWrite);
  use(semaphore);
  set_before(step, s.value);
  if (s.value >= 0x7fffffff) return fail_with(EOVERFLOW);
  ++s.value;
  wake_children(&s.value);
  race_detector.release_merge(self().id, semaphore);
  update(semaphore);
  return 0;
}

// Reading the value changes nothing for other threads, but the value depends on the order.
int look(sem_t* semaphore, int* value) {
  const Semaphore& s = Semaphore::of(semaphore);
  const bool can_run = may_go_round();
  Step& step =
      scheduler().reach(OpKind::Load, semaphore, because_of_a_change(), can_run, {}, __ATOMIC_SEQ_CST, sizeof s.value);
  use(semaphore);
  *value = static_cast<int>(s.value);
  note_unchanging(step, s.value);
  return 0;
}

int destroy(sem_t* semaphore) {
  Semaphore& s = Semaphore::of(semaphore);
  scheduler().reach(OpKind::Destroy, semaphore, Step::kWrite);
  use(semaphore);
  if (UNLIKELY(s.waiting) && !s.can_take() && anyone_waits_in(semaphore, sizeof s))
    misuse(Misuse::SemaphoreDestroyedAwaited, semaphore);
  s.destroyed = destroyed_mark(semaphore);
  return 0;
}

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int sem_init(sem_t* s, int shared, unsigned value) noexcept {
  const int result = LOCKSTEP_REAL(sem_init)(s, shared, value);
  if (result == 0 && runtime.active) Semaphore::of(s).destroyed = 0;
  return result;
}
LOCKSTEP_EXPORT int sem_destroy(sem_t* s) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sem_destroy)(s);
  ProgramCall frame(LOCKSTEP_STACK);
  return destroy(s);
}
LOCKSTEP_EXPORT int sem_wait(sem_t* s) {
  if (!controlled()) return LOCKSTEP_REAL(sem_wait)(s);
  ProgramCall frame(LOCKSTEP_STACK);
  return wait(s, 0);
}
LOCKSTEP_EXPORT int sem_trywait(sem_t* s) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sem_trywait)(s);
  ProgramCall frame(LOCKSTEP_STACK);
  return try_wait(s);
}
LOCKSTEP_EXPORT int sem_timedwait(sem_t* s, const timespec* t) {
  return controlled() ? timed_wait(s, CLOCK_REALTIME, t) : LOCKSTEP_REAL(sem_timedwait)(s, t);
}
LOCKSTEP_EXPORT int sem_clockwait(sem_t* s, clockid_t c, const timespec* t) {
  return controlled() ? timed_wait(s, c, t) : LOCKSTEP_REAL(sem_clockwait)(s, c, t);
}
LOCKSTEP_EXPORT int sem_post(sem_t* s) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sem_post)(s);
  ProgramCall frame(LOCKSTEP_STACK);
  return post(s);
}
LOCKSTEP_EXPORT int sem_getvalue(sem_t* s, int* value) noexcept {
  return controlled() ? look(s, value) : LOCKSTEP_REAL(sem_getvalue)(s, value);
}
