// pthread_once (std::call_once) and the guards of function-local statics.
#include "runtime/sync/once.hpp"

#include <pthread.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/trusted_release.hpp"
#include "runtime/tsan_abi/weak_orders.hpp"

// In C, with cleanup: the routine may leave by an exception, and this library has no C++ personality.
extern "C" void lockstep_call_once_routine(void* once, void (*routine)()) __attribute__((visibility("hidden")));
extern "C" void lockstep_leave_once(void* once, int done) __attribute__((visibility("hidden")));

namespace lockstep::rt {
namespace {

template <class State>
void update(void* object, const State& state) {
  const bool can_enter = state.can_enter();
  scheduler().update_waiters(object, [can_enter](const Thread&) { return can_enter; });
}

void run_once(pthread_once_t* control, void (*routine)()) {
  Once& once = *reinterpret_cast<Once*>(control);
  Step& step = scheduler().reach(OpKind::OnceEnter, control, Step::kConditional, once.can_enter());
  race_detector.acquire(self().id, control);
  if (once.state == Once::kDone) return;
  step.flags |= Step::kWrite;
  once.state = Once::kRunning;
  update(control, once);
  lockstep_call_once_routine(control, routine);
}

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

void lockstep_leave_once(void* object, int done) {
  Once& once = *static_cast<Once*>(object);
  scheduler().reach(OpKind::OnceExit, object, Step::kWrite);
  once.state = done ? Once::kDone : Once::kIdle;
  race_detector.release(self().id, object);
  update(object, once);
}

LOCKSTEP_EXPORT int pthread_once(pthread_once_t* control, void (*routine)()) {
  if (!controlled()) return LOCKSTEP_REAL(pthread_once)(control, routine);
  if (from_unwinder(__builtin_return_address(0))) {
    Once& once = *reinterpret_cast<Once*>(control);
    if (once.state != Once::kDone) routine();
    once.state = Once::kDone;
    return 0;
  }
  run_once(control, routine);
  return 0;
}

// The compiler calls these only if byte 0 is not yet set. Outside an execution, initialisation is single-threaded,
// unless the program runs natively: then libstdc++'s functions must be used.
extern "C" int __cxa_guard_acquire(uint64_t*);
extern "C" void __cxa_guard_release(uint64_t*);
extern "C" void __cxa_guard_abort(uint64_t*);

LOCKSTEP_EXPORT int __cxa_guard_acquire(uint64_t* g) {
  know_guard(g);
  if (!controlled()) return LOCKSTEP_REAL(__cxa_guard_acquire)(g);
  Guard& guard = *reinterpret_cast<Guard*>(g);
  // The compiler's inline test of byte 0, after which a thread may skip this call, belongs to the order of operations.
  // In uninstrumented code the test is not seen.
  if (scheduler().unjoined > 0 && self().read_object != reinterpret_cast<uint64_t>(g))
    scheduler().reasons.add(Reason::HiddenSync);
  Step& step = scheduler().reach(OpKind::OnceEnter, g, Step::kConditional, guard.can_enter());
  race_detector.acquire(self().id, g);
  if (guard.done) return 0;
  step.flags |= Step::kWrite;
  guard.running = 1;
  update(g, guard);
  return 1;
}

static void leave_guard(uint64_t* g, bool done) {
  Guard& guard = *reinterpret_cast<Guard*>(g);
  scheduler().reach(OpKind::OnceExit, g, Step::kWrite);
  guard.running = 0;
  guard.done = done;
  race_detector.release(self().id, g);  // the compiler's inline test of byte 0 acquires it
  update(g, guard);
}

LOCKSTEP_EXPORT void __cxa_guard_release(uint64_t* g) {
  if (!controlled()) return LOCKSTEP_REAL(__cxa_guard_release)(g);
  TrustedRelease call(__builtin_return_address(0));
  leave_guard(g, true);
}
LOCKSTEP_EXPORT void __cxa_guard_abort(uint64_t* g) {
  if (!controlled()) return LOCKSTEP_REAL(__cxa_guard_abort)(g);
  leave_guard(g, false);
}
