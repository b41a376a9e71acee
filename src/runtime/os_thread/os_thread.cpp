// The second backend: every logical thread is its pool thread, and exactly one of them holds the baton.
// For debuggers and tools that want to see real threads.
#include "runtime/fiber/backend.hpp"
#include "runtime/root.hpp"

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

extern "C" void lockstep_enter(void* stack_pointer) __attribute__((visibility("hidden"), noreturn));

void serve(Thread& self) {
  // A thread that is told to start over jumps back here, whatever it was in the middle of.
  if (__builtin_setjmp(self.jump_buffer) == 0) {
    __atomic_store_n(&self.ready, 1, __ATOMIC_RELEASE);
    futex_wake(&self.ready);
    self.restart = true;
    wait_for_baton(self);
  }
  self.restart = false;
  // From the same place on the stack as a fiber: addresses of automatic objects must not depend on the backend.
  lockstep_enter(self.stack_top - 16);
}

}  // namespace lockstep::rt::os_thread
