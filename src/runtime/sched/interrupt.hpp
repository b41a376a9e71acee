// What one thread can do to another besides waking it: cancel it, send it a signal.
//
// A program that never names pthread_cancel has no cancellation points; in others every one is a step that reads the
// thread's token, so that the search can put a cancellation before or after it.
#pragma once
#include "runtime/root.hpp"
#include "runtime/sched/threads.hpp"

namespace lockstep::rt {

inline void* token_of(const Thread& t) { return reinterpret_cast<void*>(static_cast<uint64_t>(wake_token(t.id))); }

inline bool cancelled(const Thread& me) { return me.cancel_pending && !me.cancel_disabled; }

// Ends the running thread as if by pthread_exit(PTHREAD_CANCELED).
[[noreturn]] void act_on_cancel();

void cancellation_point_slow();
inline void cancellation_point() {
  if (UNLIKELY(runtime.imports.cancel)) cancellation_point_slow();
}

// A cancellation ended the wait that `step` had just begun: it got nothing, but it looked.
[[noreturn]] void cancelled_while_waiting(Step& step);

// After a step of a thread: asynchronous cancellation, signals sent to it. Only while runtime.interrupted.
void deliver_interrupts(Thread& me, const Step& step);

[[noreturn]] void exit_thread(void* result);  // unwinds the stack, then ends the thread

// Ends the exploration: the program called something that cannot be controlled.
[[noreturn]] void refuse_call(const char* call, const char* why);

}  // namespace lockstep::rt
