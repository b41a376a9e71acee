// What the whole runtime shares: is an execution under way, who runs, the channel to the driver.
#pragma once
#include <sched.h>

#include "model/channel.hpp"
#include "runtime/base/system.hpp"
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

struct Runtime {
  bool running;        // an execution is under way
  bool fibers;         // backend in use
  bool uses_fsgsbase;  // to set the thread pointer; a system call otherwise
  // Both rare, and looked at together after every step.
  union {
    uint16_t after_step;
    struct {
      bool time_moved;   // a clock has left the start; until then no happens-before of time is kept
      bool interrupted;  // a thread has a signal or an asynchronous cancellation to be delivered
    };
  };
  Thread* current;  // who runs; the controller between executions
  Thread* controller;
  Thread* threads;  // kMaxThreads of them, index is the ThreadId
  unsigned pool_size;
  bool instrumented;
  bool active;        // under a driver; otherwise everything passes through to the real functions
  bool has_children;  // processes that the execution has started and not waited for
  Isolation isolation;
  Points points;
  Channel* channel;
  ThreadTable* thread_table;
  int (*program_main)(int, char**, char**);
  void (*program_init)(int, char**, char**);  // its constructors, if executions run them
  int argc;
  char** argv;
  void (*body)(void*);  // explore(): what to run instead of main
  void* body_argument;
  cpu_set_t cpus;           // where the process was started
  uintptr_t initial_stack;  // the main thread's stack from here up is initial state
};
inline constinit Runtime runtime{};

// Is the caller a thread of the execution under way? Everybody else gets the real functions.
inline bool controlled() { return LIKELY(runtime.running) && LIKELY(thread_pointer() == runtime.current->tls); }
inline Thread& self() { return *runtime.current; }

// Lets code that may call intercepted functions run uncontrolled for a while.
class Uncontrolled {
 public:
  Uncontrolled() : was_(runtime.running) { runtime.running = false; }
  ~Uncontrolled() { runtime.running = was_; }
  Uncontrolled(const Uncontrolled&) = delete;

 private:
  bool was_;
};

}  // namespace lockstep::rt
