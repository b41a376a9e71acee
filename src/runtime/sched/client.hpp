// The scheduler's callbacks to the parts above it, which it does not know: threads, primitives, checks, checkpoints.
#pragma once
#include "model/allocation.hpp"
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

struct SchedulerClient {
  // Would this pending operation write its object? Only for kinds whose outcome decides (compare-exchange,
  // try-lock...).
  bool (*would_write)(const Step& pending);
  // The running thread waits in an operation of this kind and takes its signals. True: they end its wait, and
  // Thread::interrupted is set. False: it waits on.
  bool (*take_signal)(Thread& me, OpKind waits_in);
  // After a step of a thread: delivers asynchronous cancellation and signals. Only while runtime.interrupted.
  void (*deliver_interrupts)(Thread& me, const Step& step);
  // No thread can run, or all spin: does a thread wait for a child process, or for input that has arrived by now? Ends
  // the execution if only input from outside could help and none arrives.
  bool (*outside_event_came)();
  // A thread is about to decide at the record passed to stop_to_save(). Returns now, and again for every execution that
  // starts from this checkpoint.
  void (*save_checkpoint)();
  // The execution ends. `completed`: the program ran to its end.
  void (*write_findings)(bool completed);
  Allocation* (*allocations)(uint32_t* count);  // heap blocks of the findings
};

}  // namespace lockstep::rt
