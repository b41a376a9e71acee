// pthread_create, join and detach; std::thread calls these.
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/settings.hpp"
#include "runtime/checks/frames.hpp"
#include "runtime/checks/locked_instructions.hpp"
#include "runtime/checks/plain_functions.hpp"
#include "runtime/detect/call_sites.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/detect/tracked_memory.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"
#include "runtime/threads/threads.hpp"

namespace lockstep::rt {
namespace {

void honour_stack_size(Thread& t, const pthread_attr_t* attributes) {
  size_t wanted = 0;
  if (!attributes || pthread_attr_getstacksize(attributes, &wanted) != 0) return;
  const uintptr_t end = kStackBase + (index_of(t.id) + 1) * kStackStride - (1ull << 20);
  const uintptr_t low = (end - wanted) & ~uintptr_t{4095};
  if (low >= reinterpret_cast<uintptr_t>(t.stack_low) || wanted > kStackStride - (4ull << 20)) return;
  sys(SYS_mprotect, static_cast<long>(low), static_cast<long>(reinterpret_cast<uintptr_t>(t.stack_low) - low),
      PROT_READ | PROT_WRITE);
  t.stack_low = reinterpret_cast<char*>(low);
}

int create_thread(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  Thread& me = self();
  Scheduler& s = scheduler();
  const ThreadId id = intern_child(me.id, me.children++);
  if (index_of(id) >= runtime.pool_size) {
    missing.pool_threads = index_of(id) + 1;
    s.end(Outcome::Uncontrolled);  // the worker starts over with a larger pool
  }
  Thread& child = new_thread(id, function, argument);
  honour_stack_size(child, attributes);
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &state);
  child.detached = state == PTHREAD_CREATE_DETACHED;
  child.clock = me.clock;
  *handle = child.handle;
  s.add_thread(child);
  if (s.unjoined == 0) {
    plain_functions.first_thread();
    locked_instructions.arm();
  }
  ++s.unjoined;
  s.note(OpKind::Create, thread_object(id), Companion::thread(id));
  race_detector.started(id, me.id, s.log_size);
  if (runtime.instrumented && !tracked.chosen()) {
    s.advance(child);  // up to its first operation: the birth is part of this step
  } else {
    // Uninstrumented code may spin on a flag that is set after create: running the child ahead would never end. And if
    // only some variables are tracked, other threads may see what the child does before its first step: it must run
    // where it is scheduled.
    child.start_is_step = true;
    child.pending.kind = OpKind::ThreadStart;
    child.pending.thread = id;
    child.parked = true;
    if (child.arrival) child.arrival[0] = 0;  // the stack of an earlier execution's thread
    s.enable(child, true);
  }
  return 0;
}

}  // namespace

void create_task(void* (*function)(void*), void* argument) {
  pthread_t handle;
  create_thread(&handle, nullptr, function, argument);
  thread_of(handle)->detached = true;
}

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
                                   void* argument) {
  if (!controlled()) return LOCKSTEP_REAL(pthread_create)(handle, attributes, function, argument);
  ProgramCall frame(LOCKSTEP_STACK);
  return create_thread(handle, attributes, function, argument);
}

LOCKSTEP_EXPORT int pthread_join(pthread_t handle, void** result) {
  if (!controlled()) return LOCKSTEP_REAL(pthread_join)(handle, result);
  ProgramCall frame(LOCKSTEP_STACK);
  return join_thread(handle, result);
}
LOCKSTEP_EXPORT int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_tryjoin_np)(handle, result);
  return try_join_thread(handle, result);
}
LOCKSTEP_EXPORT int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* deadline) {
  if (!controlled()) return LOCKSTEP_REAL(pthread_timedjoin_np)(handle, result, deadline);
  return timed_join_thread(handle, result, CLOCK_REALTIME, deadline);
}
LOCKSTEP_EXPORT int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* deadline) {
  if (!controlled()) return LOCKSTEP_REAL(pthread_clockjoin_np)(handle, result, clock, deadline);
  return timed_join_thread(handle, result, clock, deadline);
}

LOCKSTEP_EXPORT int pthread_detach(pthread_t handle) {
  if (!controlled()) return LOCKSTEP_REAL(pthread_detach)(handle);
  Thread* t = thread_of(handle);
  if (!t) return ESRCH;
  if (t->detached || t->joined) return EINVAL;
  t->detached = true;
  return 0;
}

LOCKSTEP_EXPORT int sched_yield() noexcept {
  if (!controlled()) return static_cast<int>(sys(SYS_sched_yield));
  call_sites.doubt();
  ProgramCall frame(LOCKSTEP_STACK);
  ++self().yields;
  if (!yields_before_it_blocks()) scheduler().reach(OpKind::Yield, nullptr, Step::kYield);
  return 0;
}
