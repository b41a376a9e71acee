// What the scheduler asks of the parts above it, which it does not know: threads, primitives, checks, checkpoints.
#pragma once
#include "model/allocation.hpp"
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

struct SchedulerClient {
  // Would this pending operation write its object? Only those whose outcome decides (compare-exchange, try-lock...).
  bool (*would_write)(const Step& pending);
  // The running thread, which waits in an operation of this kind, takes its signals. True: that ends its wait, and
  // Thread::interrupted is set; otherwise it waits on.
  bool (*take_signal)(Thread& me, OpKind waits_in);
  // After a step of a thread: asynchronous cancellation, signals sent to it. Only while runtime.interrupted.
  void (*deliver_interrupts)(Thread& me, const Step& step);
  // Nobody can go on, or all spin: does a thread wait for input that has come by now, or for a child process? Ends the
  // execution if that can only come from outside and does not.
  bool (*outside_helps)();
  // A thread is about to decide at the record given to stop_to_save(). Returns now, and again for every execution that
  // starts from there.
  void (*save_checkpoint)();
  // The execution ends. `completed`: the program has come to its end.
  void (*write_findings)(bool completed);
  Allocation* (*allocations)(uint32_t* count);  // blocks of the heap that findings are about
};

}  // namespace lockstep::rt
