// Condition variables. A wait is two steps: release the mutex and enqueue; after a wake, compete for the mutex.
#include "runtime/intercept/condvar.hpp"

#include "runtime/base/timespec.hpp"
#include "runtime/sync/condvar.hpp"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/checks/frames.hpp"
#include "runtime/intercept/mutex.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/virtual_clock.hpp"
#include "runtime/sync/mutex.hpp"
#include "runtime/threads/interrupt.hpp"

namespace lockstep::rt {
namespace {

uint32_t spurious_wakeups_left;  // in this execution

// A spurious wakeup, as a data choice. A thread that will wake spuriously need not enter the queue: no thread can
// observe the difference between the wait and the moment it has the mutex again.
bool wakes_by_itself(const void* place) {
  if (LIKELY(spurious_wakeups_left == 0)) {
    notice(FactKind::ConditionWait, place);
    return false;
  }
  // All waits share the remaining number, so whether this one may wake depends on other waits in a way that no
  // operation shows.
  scheduler().reasons.add(Reason::Unknown);
  if (!scheduler().pick(2)) return false;
  --spurious_wakeups_left;
  return true;
}

// The current step uses the condition variable. A destroyed one still works.
void use(const pthread_cond_t* condition) {
  use_object(condition);
  if (UNLIKELY(is_destroyed(condition))) misuse(Misuse::ConditionUsedDestroyed, condition);
}

// The error that the C library returns for a wait with this mutex; 0: it waits.
int check_mutex(const pthread_cond_t* condition, pthread_mutex_t* mutex) {
  const Mutex& m = Mutex::of(mutex);
  bool another = false;
  scheduler().live.for_each(scheduler().words(), [&](ThreadId t) {
    const Thread& other = scheduler().thread(t);
    another |= waits_on(other, condition) && other.pending.object != ObjectId(reinterpret_cast<uint64_t>(mutex));
  });
  if (UNLIKELY(another)) misuse(Misuse::ConditionWithTwoMutexes, condition);
  if (LIKELY(m.owned_by(self().id))) return 0;
  if (m.type() != Mutex::Type::ErrorCheck && !m.robust()) misuse(Misuse::ConditionWithoutMutex, mutex);
  return m.type() == Mutex::Type::Normal || m.type() == Mutex::Type::Adaptive ? (m.robust() ? EPERM : 0) : EPERM;
}

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, uint8_t flags, const void* place) {
  Mutex& m = Mutex::of(mutex);
  Thread& me = self();
  const uintptr_t stack_pointer = me.entry_sp;
  cancellation_point();
  scheduler().reach(OpKind::CondWait, condition, Step::kWrite | flags, true, Companion::mutex(object_at(mutex)));
  use(condition);
  use_object(mutex);
  if (const int error = check_mutex(condition, mutex)) return error;
  const uint32_t depth = m.depth;
  if (LIKELY(m.owner)) free_mutex(mutex);
  me.entry_sp = stack_pointer;
  me.queue = condition;
  me.cancel_woke = cancelled(me);  // cancelled since the cancellation point, when it was not yet in the queue
  me.woken = me.cancel_woke || wakes_by_itself(place);
  // A spurious wakeup is not related to any notification.
  const Companion waited = me.woken ? Companion{} : Companion::condition(object_at(condition));
  int result = take_mutex(mutex, OpKind::Reacquire, me.woken ? 0 : flags, waited, me.woken);
  const bool timed_out = result == ETIMEDOUT;
  if (timed_out) {
    // The timeout was its own step and left the queue. Now the thread takes the mutex as usual; signals and broadcasts
    // no longer concern it.
    me.queue = nullptr;
    me.woken = true;
    result = take_mutex(mutex, OpKind::Reacquire, 0, {}, true);
  }
  me.queue = nullptr;
  if (LIKELY(m.owned_by(me.id))) m.depth = depth;
  if (UNLIKELY(me.cancel_woke)) act_on_cancel();
  return result ? result : timed_out ? ETIMEDOUT : 0;
}

int timed_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline,
               const void* place) {
  if (!has_valid_nanoseconds(*deadline)) return EINVAL;
  self().deadline = VirtualClock::to_monotonic(clock, *deadline);
  return wait(condition, mutex, Step::kTimed, place);
}

clockid_t clock_of(const pthread_cond_t* condition) {
  return condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;  // set by pthread_cond_init
}

void wake(Thread& t) {
  t.woken = true;
  const Mutex& m = *reinterpret_cast<const Mutex*>(t.pending.object);
  scheduler().enable(t, m.can_lock());
}

int signal(pthread_cond_t* condition) {
  Scheduler& s = scheduler();
  Step& step = s.reach(OpKind::CondSignal, condition, Step::kWrite);
  use(condition);
  ThreadId waiters[kMaxThreads];
  unsigned count = 0;
  s.live.for_each(s.words(), [&](ThreadId t) {
    if (waits_on(s.thread(t), condition)) waiters[count++] = t;
  });
  if (!count) return 0;
  // POSIX allows any waiter to be woken. Ascending ids, so that an alternative is the same thread in every execution.
  const ThreadId chosen = waiters[s.pick(count)];
  step.second = Companion::woken(chosen);
  wake(s.thread(chosen));
  return 0;
}

int broadcast(pthread_cond_t* condition) {
  Scheduler& s = scheduler();
  s.reach(OpKind::CondBroadcast, condition, Step::kWrite);
  use(condition);
  s.live.for_each(s.words(), [&](ThreadId t) {
    if (waits_on(s.thread(t), condition)) wake(s.thread(t));
  });
  return 0;
}

int destroy(pthread_cond_t* condition) {
  Scheduler& s = scheduler();
  s.reach(OpKind::Destroy, condition, Step::kWrite);
  use(condition);
  bool waited_for = false;
  s.live.for_each(s.words(), [&](ThreadId t) { waited_for |= waits_on(s.thread(t), condition); });
  if (UNLIKELY(waited_for))
    end_misused(Misuse::ConditionDestroyedAwaited, condition);  // libc waits until the waiters have left
  mark_destroyed(condition);
  return 0;
}

}  // namespace

const Module condition_module = {
    .name = "condition variables",
    .before_execution = [] { spurious_wakeups_left = runtime.channel->spurious; },
};

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  if (!controlled()) return LOCKSTEP_REAL(pthread_cond_wait)(c, m);
  ProgramCall frame(LOCKSTEP_STACK);
  return wait(c, m, 0, __builtin_return_address(0));
}
LOCKSTEP_EXPORT int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* deadline) {
  return controlled() ? timed_wait(c, m, clock_of(c), deadline, __builtin_return_address(0))
                      : LOCKSTEP_REAL(pthread_cond_timedwait)(c, m, deadline);
}
LOCKSTEP_EXPORT int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock,
                                           const timespec* deadline) {
  return controlled() ? timed_wait(c, m, clock, deadline, __builtin_return_address(0))
                      : LOCKSTEP_REAL(pthread_cond_clockwait)(c, m, clock, deadline);
}
LOCKSTEP_EXPORT int pthread_cond_signal(pthread_cond_t* c) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_cond_signal)(c);
  ProgramCall frame(LOCKSTEP_STACK);
  return signal(c);
}
LOCKSTEP_EXPORT int pthread_cond_broadcast(pthread_cond_t* c) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_cond_broadcast)(c);
  ProgramCall frame(LOCKSTEP_STACK);
  return broadcast(c);
}
LOCKSTEP_EXPORT int pthread_cond_destroy(pthread_cond_t* c) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_cond_destroy)(c);
  ProgramCall frame(LOCKSTEP_STACK);
  return destroy(c);
}
