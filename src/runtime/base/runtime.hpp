// State that the whole runtime shares: whether an execution is under way, the running thread, the channel to the
// driver.
#pragma once
#include <sched.h>

#include "model/channel.hpp"
#include "runtime/base/system.hpp"
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

struct Runtime {
  bool running;        // an execution is under way
  bool fibers;         // the backend in use is fibers
  bool uses_fsgsbase;  // whether the thread pointer is set without a system call
  // Both are rare, and checked together after every step.
  union {
    uint16_t after_step;
    struct {
      bool time_moved;   // a clock has moved; until then the happens-before of time is not tracked
      bool interrupted;  // a signal or an asynchronous cancellation is to be delivered to a thread
    };
  };
  Thread* current;  // the running thread; the controller between executions
  Thread* controller;
  Thread* threads;  // kMaxThreads of them, indexed by ThreadId
  unsigned pool_size;
  bool instrumented;
  bool active;        // under a driver; otherwise every call goes to the real function
  bool has_children;  // the execution has started processes and not waited for them
  Isolation isolation;
  Points points;
  Channel* channel;
  ThreadTable* thread_table;
  int (*program_main)(int, char**, char**);
  void (*program_init)(int, char**, char**);  // the program's constructors, if executions run them
  int argc;
  char** argv;
  void (*body)(void*);  // explore(): runs instead of main
  void* body_argument;
  cpu_set_t cpus;           // affinity mask at the start of the process
  uintptr_t initial_stack;  // the main thread's stack from this address up is initial state
};
inline constinit Runtime runtime{};

// Is the caller a thread of the current execution? All other threads call the real functions.
inline bool controlled() { return LIKELY(runtime.running) && LIKELY(thread_pointer() == runtime.current->tls); }
inline Thread& self() { return *runtime.current; }

// A scope in which code that calls intercepted functions runs uncontrolled.
class Uncontrolled {
 public:
  Uncontrolled() : was_(runtime.running) { runtime.running = false; }
  ~Uncontrolled() { runtime.running = was_; }
  Uncontrolled(const Uncontrolled&) = delete;

 private:
  bool was_;
};

}  // namespace lockstep::rt
