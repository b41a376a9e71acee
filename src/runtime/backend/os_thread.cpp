// The second backend: every logical thread is its pool thread, and exactly one of them holds the baton. For debuggers
// and tools that need real threads.
#include <sys/prctl.h>

#include "runtime/backend/backend.hpp"
#include "runtime/base/runtime.hpp"

namespace lockstep::rt::os_thread {
namespace {

// Not inlined: __builtin_longjmp must not be in the function that called __builtin_setjmp.
__attribute__((noinline)) void wait_for_baton(Thread& self) {
  while (!__atomic_load_n(&self.go, __ATOMIC_ACQUIRE)) futex_wait(&self.go, 0);
  __atomic_store_n(&self.go, 0, __ATOMIC_RELAXED);
  if (self.restart) __builtin_longjmp(self.jump_buffer, 1);
}

}  // namespace

void prepare(Thread& thread) { thread.restart = true; }

void switch_to(Thread& from, Thread& to) {
  __atomic_store_n(&to.go, 1, __ATOMIC_RELEASE);
  futex_wake(&to.go);
  wait_for_baton(from);
}

// Names the thread in the debugger's list as in the report: "thread 3". Thread 0 is main.
static void name_for_debugger(const Thread& self) {
  if (self.id == kNoThread) return;  // the controller is not a thread of the program
  char text[16] = "thread ";
  if (index_of(self.id) == 0) copy_bytes(text, "main", 5);
  unsigned number = index_of(self.id), digits = 1;
  for (unsigned n = number; n >= 10; n /= 10) ++digits;
  for (unsigned i = digits; number && i-- > 0; number /= 10) text[7 + i] = static_cast<char>('0' + number % 10);
  sys(SYS_prctl, PR_SET_NAME, word(text), 0, 0, 0);
}

extern "C" void lockstep_enter(void* stack_pointer) __attribute__((visibility("hidden"), noreturn));

void serve(Thread& self) {
  // A thread that has to start over jumps back here from anywhere.
  if (__builtin_setjmp(self.jump_buffer) == 0) {
    __atomic_store_n(&self.ready, 1, __ATOMIC_RELEASE);
    futex_wake(&self.ready);
    self.restart = true;
    wait_for_baton(self);
  }
  self.restart = false;
  if (runtime.channel->debug) name_for_debugger(self);
  // Starts at the same place on the stack as a fiber: addresses of automatic objects must not depend on the backend.
  lockstep_enter(self.stack_top - 16);
}

}  // namespace lockstep::rt::os_thread
