// Joining threads.
#include <errno.h>

#include "runtime/base/runtime.hpp"
#include "runtime/base/timespec.hpp"
#include "runtime/checks/plain_functions.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/virtual_clock.hpp"
#include "runtime/threads/interrupt.hpp"

namespace lockstep::rt {
namespace {

void* object_of(const Thread& t) { return reinterpret_cast<void*>(thread_object(t.id)); }

int find(pthread_t handle, Thread*& target) {
  target = thread_of(handle);
  if (!target) return ESRCH;
  if (target == &self()) return EDEADLK;
  if (target->detached || target->joined || target->join_waiting) return EINVAL;
  return 0;
}

void take_result(Thread& target, void** result) {
  Thread& me = self();
  target.joined = true;
  --scheduler().unjoined;
  race_detector.joined(me.id, target.id, scheduler().unjoined == 0);
  if (scheduler().unjoined == 0) plain_functions.follow(false);
  if (target.clock > me.clock) me.clock = target.clock;
  scheduler().note(OpKind::Join, thread_object(target.id), Companion::thread(target.id));
  if (result) *result = target.result;
}

// Waits for the end of `target`; false if it timed out. Does not return after a cancellation.
bool wait_for(Thread& target, uint8_t flags) {
  Thread& me = self();
  target.joiner = me.id;
  target.join_waiting = true;
  me.woken = me.timed_out = me.cancel_woke = false;
  scheduler().wait_to_be_advanced(OpKind::Join, object_of(target), flags, Companion::thread(target.id));
  if (UNLIKELY(me.cancel_woke)) act_on_cancel();
  if (me.timed_out) target.join_waiting = false;
  return !me.timed_out;
}

}  // namespace

int join_thread(pthread_t handle, void** result) {
  Thread* target;
  if (const int error = find(handle, target)) return error;
  cancellation_point();
  if (target->life != Life::Done) wait_for(*target, 0);
  take_result(*target, result);
  return 0;
}

// Testing whether a thread has ended is a step, unlike a join: its order against the thread's end is visible.
int try_join_thread(pthread_t handle, void** result) {
  Thread* target;
  if (const int error = find(handle, target)) return error;
  scheduler().reach(OpKind::Join, object_of(*target), 0, true, Companion::thread(target->id));
  if (target->life != Life::Done) return EBUSY;
  take_result(*target, result);
  return 0;
}

int timed_join_thread(pthread_t handle, void** result, clockid_t clock, const timespec* deadline) {
  if (!deadline) return join_thread(handle, result);
  if (!has_valid_nanoseconds(*deadline)) return EINVAL;
  Thread* target;
  if (const int error = find(handle, target)) return error;
  cancellation_point();
  self().deadline = VirtualClock::to_monotonic(clock, *deadline);
  scheduler().reach(OpKind::Join, object_of(*target), 0, true, Companion::thread(target->id));
  if (target->life != Life::Done && !wait_for(*target, Step::kTimed)) return ETIMEDOUT;
  take_result(*target, result);
  return 0;
}

}  // namespace lockstep::rt
