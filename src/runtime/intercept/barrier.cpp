// Barriers. Leaving is part of the last arrival's step: no thread can observe it separately.
#include "runtime/sync/barrier.hpp"

#include <errno.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/checks/frames.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
namespace {

int wait(pthread_barrier_t* barrier) {
  Barrier& b = Barrier::of(barrier);
  Scheduler& s = scheduler();
  Thread& me = self();
  if (b.magic != Barrier::kMagic && b.magic != Barrier::kDestroyed) return EINVAL;
  s.reach(OpKind::BarrierArrive, barrier, Step::kWrite);
  use_object(barrier);
  if (UNLIKELY(b.magic == Barrier::kDestroyed)) {
    misuse(Misuse::BarrierUsedDestroyed, barrier);
    return EINVAL;
  }
  race_detector.release_merge(me.id, barrier);
  if (!b.arrive_completes()) {
    me.queue = barrier;
    me.woken = false;
    s.wait_to_be_advanced(OpKind::BarrierLeave, barrier, 0);
    me.queue = nullptr;
    // Not a decision, but an order: the thread's next step comes after the last arrival.
    s.note(OpKind::BarrierLeave, ObjectId(reinterpret_cast<uint64_t>(barrier)));
    return 0;
  }
  ThreadId waiters[kMaxThreads];
  unsigned count = 0;
  s.live.for_each(s.words(), [&](ThreadId t) {
    if (t != me.id && s.thread(t).queue == barrier && !s.thread(t).woken) waiters[count++] = t;
  });
  for (unsigned i = 0; i < count; ++i) race_detector.acquire(waiters[i], barrier);
  race_detector.acquire(me.id, barrier);
  race_detector.forget(barrier);  // rounds are independent of each other
  for (unsigned i = 0; i < count; ++i) s.thread(waiters[i]).woken = true;
  for (unsigned i = 0; i < count; ++i) s.advance(s.thread(waiters[i]));
  return PTHREAD_BARRIER_SERIAL_THREAD;
}

int destroy(pthread_barrier_t* barrier) {
  Barrier& b = Barrier::of(barrier);
  scheduler().reach(OpKind::Destroy, barrier, Step::kWrite);
  use_object(barrier);
  if (UNLIKELY(b.magic == Barrier::kDestroyed)) misuse(Misuse::BarrierUsedDestroyed, barrier);
  if (UNLIKELY(b.magic == Barrier::kMagic && b.arrived))
    end_misused(Misuse::BarrierDestroyedAwaited, barrier);  // libc waits for them
  b.magic = Barrier::kDestroyed;
  return 0;
}

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t* attributes,
                                         unsigned count) noexcept {
  if (!runtime.active) return LOCKSTEP_REAL(pthread_barrier_init)(b, attributes, count);
  if (count == 0) return EINVAL;
  Barrier::of(b) = {0, count, Barrier::kMagic};
  return 0;
}
LOCKSTEP_EXPORT int pthread_barrier_wait(pthread_barrier_t* b) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_barrier_wait)(b);
  ProgramCall frame(LOCKSTEP_STACK);
  return wait(b);
}
LOCKSTEP_EXPORT int pthread_barrier_destroy(pthread_barrier_t* b) noexcept {
  if (!runtime.active) return LOCKSTEP_REAL(pthread_barrier_destroy)(b);
  if (!controlled()) {
    Barrier::of(b).magic = 0;
    return 0;
  }
  ProgramCall frame(LOCKSTEP_STACK);
  return destroy(b);
}
