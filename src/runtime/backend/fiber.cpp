// The first backend: fibers, switched by assembler code.
#include <sys/auxv.h>

#include "runtime/backend/backend.hpp"
#include "runtime/base/runtime.hpp"

extern "C" {
// Saves the callee-saved state on the stack, stores the stack pointer in *save, and continues at `to` with thread
// pointer `tls`. Two versions: with wrfsbase, and with arch_prctl if the kernel or valgrind hides wrfsbase.
void lockstep_switch(void** save, void* to, uintptr_t tls) __attribute__((visibility("hidden")));
void lockstep_switch_prctl(void** save, void* to, uintptr_t tls) __attribute__((visibility("hidden")));
void lockstep_fiber_start() __attribute__((visibility("hidden")));
}

#if defined(__x86_64__)
// The unwind information is valid at every instruction, because a signal handler may inspect the stack at any of them.
// Both stacks have the same layout, so it is valid on either side of the switch.
asm(R"(
.text
.macro save register
  push \register
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset \register, 0
.endm
.macro restore register
  pop \register
  .cfi_adjust_cfa_offset -8
  .cfi_restore \register
.endm
.macro save_context
  save %rbp
  save %rbx
  save %r12
  save %r13
  save %r14
  save %r15
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  mov %rsp, (%rdi)
  mov %rsi, %rsp
.endm
.macro restore_context
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  restore %r15
  restore %r14
  restore %r13
  restore %r12
  restore %rbx
  restore %rbp
  ret
.endm

.globl lockstep_switch
.hidden lockstep_switch
.type lockstep_switch, @function
lockstep_switch:
  .cfi_startproc
  save_context
  wrfsbase %rdx
  restore_context
  .cfi_endproc
.size lockstep_switch, .-lockstep_switch

.globl lockstep_switch_prctl
.hidden lockstep_switch_prctl
.type lockstep_switch_prctl, @function
lockstep_switch_prctl:
  .cfi_startproc
  save_context
  mov %rdx, %rsi
  mov $0x1002, %edi
  mov $158, %eax
  syscall
  restore_context
  .cfi_endproc
.size lockstep_switch_prctl, .-lockstep_switch_prctl

.globl lockstep_fiber_start
.hidden lockstep_fiber_start
.type lockstep_fiber_start, @function
lockstep_fiber_start:
  .cfi_startproc
  .cfi_undefined rip
  xor %ebp, %ebp
  call lockstep_thread_entry
  ud2
  .cfi_endproc
.size lockstep_fiber_start, .-lockstep_fiber_start

.globl lockstep_enter
.hidden lockstep_enter
.type lockstep_enter, @function
lockstep_enter:
  mov %rdi, %rsp
  jmp lockstep_fiber_start
.size lockstep_enter, .-lockstep_enter
)");
#else
#error "fiber backend: port lockstep_switch (TPIDR_EL0 takes the part of FS)"
#endif

namespace lockstep::rt {

bool fsgsbase_available() { return getauxval(AT_HWCAP2) >> 1 & 1; }

namespace fiber {

void prepare(Thread& thread) {
  uint64_t* top = reinterpret_cast<uint64_t*>(thread.stack_top);
  *--top = 0;
  *--top = 0;  // keeps rsp = 0 mod 16 at the call in lockstep_fiber_start
  *--top = reinterpret_cast<uint64_t>(&lockstep_fiber_start);
  for (int i = 0; i < 6; ++i) *--top = 0;  // rbp rbx r12..r15
  *--top = 0x1f80ull | (0x37full << 32);   // mxcsr and x87 control word at process start
  thread.stack_pointer = top;
}

void switch_to(Thread& from, Thread& to) {
  if (LIKELY(runtime.uses_fsgsbase))
    lockstep_switch(&from.stack_pointer, to.stack_pointer, to.tls);
  else
    lockstep_switch_prctl(&from.stack_pointer, to.stack_pointer, to.tls);
}

}  // namespace fiber
}  // namespace lockstep::rt
