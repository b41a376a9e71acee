// Interrupts: one thread cancels another or sends it a signal.
//
// A program that does not import pthread_cancel has no cancellation points. In other programs each one is a step that
// reads the thread's token, so that the search can place a cancellation before or after it.
#pragma once
#include "runtime/process/imports.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/threads/threads.hpp"

namespace lockstep::rt {

inline void* token_of(const Thread& t) { return reinterpret_cast<void*>(static_cast<uint64_t>(wake_token(t.id))); }

inline bool cancelled(const Thread& me) { return me.cancel_pending && !me.cancel_disabled; }

// Ends the running thread as if by pthread_exit(PTHREAD_CANCELED).
[[noreturn]] void act_on_cancel();

void cancellation_point_slow();
inline void cancellation_point() {
  if (UNLIKELY(imports.cancel)) cancellation_point_slow();
}

// A cancellation ended the wait that `step` had just begun: the thread got nothing, but it read the object.
[[noreturn]] void cancelled_while_waiting(Step& step);

// After a step of a thread: delivers asynchronous cancellation and signals. Only while runtime.interrupted.
void deliver_interrupts(Thread& me, const Step& step);

// The running thread waits in an operation of this kind and takes its signals. True: they end its wait, and
// Thread::interrupted is set. False: it waits on.
bool take_signal(Thread& me, OpKind waits_in);

// True if a signal ended the last wait. Clears the flag.
inline bool interrupted_wait(Thread& me) {
  const bool was = me.interrupted;
  me.interrupted = false;
  return UNLIKELY(was);
}

int send_signal_to_process(int signal);
int send_signal_by_id(long tid, int signal);

[[noreturn]] void exit_thread(void* result);  // unwinds the stack, then ends the thread

}  // namespace lockstep::rt
