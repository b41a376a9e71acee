// The stack that an address lies on, and whether the address's frame is gone.
//
// A thread that waits has no frame of the program below the stack pointer with which the program called the runtime: an
// address there belongs to a frame that is gone. When a thread leaves frames that another thread used, that use must
// happen before. Nothing is reported if the stack pointer is unknown, or lies on a stack that the program made itself.
#pragma once
#include "runtime/base/runtime.hpp"
#include "runtime/process/imports.hpp"

namespace lockstep::rt {

inline constexpr uintptr_t kMainStackBytes = 64ull << 20;  // maximum for the initial stack: libraries are further down

// Threads' stacks and the initial stack, which is among the libraries: the first check, in one comparison.
inline bool may_be_stack(uintptr_t address) { return 0x84u >> (address >> 44 & 7) & 1; }

inline Thread* stack_owner(uintptr_t address) {
  if (address - kStackBase < kMaxThreads * kStackStride) return &runtime.threads[(address - kStackBase) / kStackStride];
  return runtime.initial_stack - address - 1 < kMainStackBytes ? &runtime.threads[0] : nullptr;
}

// For a thread that is not running.
inline bool frame_is_gone(const Thread& owner, uintptr_t address) {
  if (owner.life == Life::Done) return true;
  return address < owner.program_sp && stack_owner(owner.program_sp) == &owner && !imports.contexts;
}

// The running thread has returned to `stack_pointer`, above the part of its stack that other threads have used.
void leave_frames(Thread& me, uintptr_t stack_pointer);
inline void arrive_at(uintptr_t stack_pointer) {
  Thread& me = self();
  me.entry_sp = stack_pointer;
  if (UNLIKELY(stack_pointer > me.shared_low)) leave_frames(me, stack_pointer);
}

// One call of the program into the runtime, with the stack pointer of the call.
#define LOCKSTEP_STACK reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa())
class ProgramCall {
 public:
  explicit ProgramCall(uintptr_t stack_pointer) : me_(self()) { arrive_at(stack_pointer); }
  ~ProgramCall() { me_.entry_sp = 0; }
  ProgramCall(const ProgramCall&) = delete;

 private:
  Thread& me_;
};

// Code of the program that runs inside such a call: a signal handler, a cleanup handler.
class CallBack {
 public:
  CallBack() : me_(self()), outer_(me_.entry_sp) { me_.entry_sp = 0; }
  ~CallBack() { me_.entry_sp = outer_; }
  CallBack(const CallBack&) = delete;

 private:
  Thread& me_;
  uintptr_t outer_;
};

}  // namespace lockstep::rt
