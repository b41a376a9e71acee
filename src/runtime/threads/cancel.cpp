// Cancellation, pthread_exit, and the cleanup handlers that both run.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <unwind.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sync/mutex.hpp"
#include "runtime/threads/interrupt.hpp"

// pthread_cleanup_push in C code without -fexceptions: a jump buffer in the frame, registered with libc under hidden
// names. In C++ and with -fexceptions it is a destructor, which unwinding runs.
extern "C" {
struct CleanupBuffer {
  __jmp_buf jump;
  int mask_was_saved;
  void* previous;
};
void __pthread_register_cancel(__pthread_unwind_buf_t*);
void __pthread_unregister_cancel(__pthread_unwind_buf_t*);
void __pthread_unwind_next(__pthread_unwind_buf_t*) __attribute__((noreturn));
}

namespace lockstep::rt {
namespace {

CleanupBuffer* innermost(Thread& me) { return static_cast<CleanupBuffer*>(me.cleanup); }

[[noreturn]] void run_cleanup(Thread& me) {
  // The code of the frame runs its handler and returns through __pthread_unwind_next.
  longjmp(reinterpret_cast<__jmp_buf_tag*>(innermost(me)), 1);
}

_Unwind_Reason_Code unwind_one(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*,
                               _Unwind_Context* context, void*) {
  Thread& me = self();
  const bool at_the_end = actions & _UA_END_OF_STACK;
  if (me.cleanup && (at_the_end || _Unwind_GetCFA(context) > reinterpret_cast<uintptr_t>(me.cleanup))) run_cleanup(me);
  if (at_the_end) finish_thread(me, me.result);
  return _URC_NO_REASON;
}

void cancel(Thread& target) {
  Scheduler& s = scheduler();
  if (&target != &self()) s.reasons.add(Reason::Interrupt);
  const bool in_queue = target.pending.kind == OpKind::Reacquire && !target.woken && &target != &self();
  s.reach(OpKind::Cancel, token_of(target), Step::kWrite, true,
          in_queue ? Companion::other_queue(target.pending.second.condition()) : Companion{});
  if (target.life != Life::Live || target.cancel_pending) return;
  race_detector.release_merge(self().id, token_of(target));
  target.cancel_pending = true;
  if (target.cancel_disabled) return;
  if (&target == &self()) {
    if (target.cancel_async) act_on_cancel();
    return;
  }
  if (target.cancel_async) runtime.interrupted = true;
  if (s.enabled.contains(target.id) || !target.parked) return;
  target.cancel_woke = true;
  switch (target.pending.kind) {
    case OpKind::Reacquire:
      if (target.woken) return;
      target.woken = true;
      s.enable(target, reinterpret_cast<const Mutex*>(target.pending.object)->can_lock());
      return;
    case OpKind::SemWait:
    case OpKind::Signal:
    case OpKind::Io: s.enable(target, true); return;
    case OpKind::Join:
      target.woken = true;
      s.thread(target.pending.second.thread()).join_waiting = false;
      s.advance(target);
      return;
    default: target.cancel_woke = false;
  }
}

static_assert(PTHREAD_CANCEL_DISABLE == 1 && PTHREAD_CANCEL_ASYNCHRONOUS == 1);
// Sets one of the running thread's flags; the constants of both flags are 0 and 1.
int set_flag(bool Thread::*flag, int value, int* old) {
  if (value != 0 && value != 1) return EINVAL;
  Thread& me = self();
  if (old) *old = me.*flag;
  me.*flag = value;
  if (cancelled(me) && me.cancel_async) act_on_cancel();
  return 0;
}

}  // namespace

void exit_thread(void* result) {
  Thread& me = self();
  me.result = result;
  me.cancel_disabled = true;  // a dying thread cannot be cancelled again
  me.cancel_async = false;
  auto* exception = static_cast<_Unwind_Exception*>(heap.allocate(sizeof(_Unwind_Exception), 16));
  zero_bytes(exception, sizeof *exception);
  _Unwind_ForcedUnwind(exception, unwind_one, nullptr);
  finish_thread(me, result);
}

void act_on_cancel() {
  race_detector.acquire(self().id, token_of(self()));
  exit_thread(PTHREAD_CANCELED);
}

void cancellation_point_slow() {
  Thread& me = self();
  if (me.cancel_disabled) return;
  scheduler().reach(OpKind::TestCancel, token_of(me));
  if (cancelled(me)) act_on_cancel();
}

void cancelled_while_waiting(Step& step) {
  step.kind = OpKind::TestCancel;
  step.flags &= static_cast<uint8_t>(~Step::kWrite);
  step.second = Companion::waited_for(step.object);
  step.object = wake_token(step.thread);
  act_on_cancel();
}

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int pthread_cancel(pthread_t handle) {
  if (!controlled()) return LOCKSTEP_REAL(pthread_cancel)(handle);
  Thread* target = thread_of(handle);
  if (!target || target->joined) return ESRCH;
  cancel(*target);
  return 0;
}
LOCKSTEP_EXPORT int pthread_setcancelstate(int state, int* old) {
  return controlled() ? set_flag(&Thread::cancel_disabled, state, old)
                      : LOCKSTEP_REAL(pthread_setcancelstate)(state, old);
}
LOCKSTEP_EXPORT int pthread_setcanceltype(int type, int* old) {
  return controlled() ? set_flag(&Thread::cancel_async, type, old) : LOCKSTEP_REAL(pthread_setcanceltype)(type, old);
}
LOCKSTEP_EXPORT void pthread_testcancel() {
  if (!controlled()) return LOCKSTEP_REAL(pthread_testcancel)();
  cancellation_point();
}
LOCKSTEP_EXPORT void pthread_exit(void* result) {
  if (!controlled()) {
    LOCKSTEP_REAL(pthread_exit)(result);
    __builtin_unreachable();
  }
  exit_thread(result);  // unwinds like the real one, so that destructors of automatic objects run
}

LOCKSTEP_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t* raw) {
  if (!controlled()) return LOCKSTEP_REAL(__pthread_register_cancel)(raw);
  auto* buffer = reinterpret_cast<CleanupBuffer*>(raw);
  buffer->previous = self().cleanup;
  self().cleanup = buffer;
}
LOCKSTEP_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t* raw) {
  if (!controlled()) return LOCKSTEP_REAL(__pthread_unregister_cancel)(raw);
  self().cleanup = reinterpret_cast<CleanupBuffer*>(raw)->previous;
}
LOCKSTEP_EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t* raw) {
  if (!controlled()) {
    LOCKSTEP_REAL(__pthread_unwind_next)(raw);
    __builtin_unreachable();
  }
  Thread& me = self();
  me.cleanup = reinterpret_cast<CleanupBuffer*>(raw)->previous;
  exit_thread(me.result);
}
