// Handles crash signals, the runtime's own faults and traps, and the watchdog's signal.
#include "runtime/serve/crash.hpp"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/locked_instructions.hpp"
#include "runtime/checks/plain_functions.hpp"
#include "runtime/detect/call_sites.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/process/backtrace.hpp"
#include "runtime/process/dispositions.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/process/own_process.hpp"
#include "runtime/sched/cycle_counter.hpp"
#include "runtime/sched/debug_stops.hpp"
#include "runtime/sched/native_loops.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/trusted_sections.hpp"
#include "runtime/serve/checkpoint_policy.hpp"

namespace lockstep::rt {
namespace {

constexpr int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};

// Continues a crash on another stack: the thread's stack may be exhausted or invalid.
struct CrashInfo {
  int signal;
  uint64_t address;
  bool overflow;
  bool unwinding;  // unwinding the stack of the failure, which may be overwritten
  char* stack;
};
constinit CrashInfo crash{};

void crash_continue() {
  char text[128];
  Scheduler& s = scheduler();
  s.fault_address = crash.address;
  if (crash.overflow)
    format(text, sizeof text, "stack overflow (%s at address 0x%x)", signal_name(crash.signal), crash.address);
  else if (crash.signal == SIGSEGV || crash.signal == SIGBUS)
    format(text, sizeof text, "%s at address 0x%x", signal_name(crash.signal), crash.address);
  else
    format(text, sizeof text, "%s", signal_name(crash.signal));
  s.end(crash.signal == SIGABRT ? Outcome::Abort : Outcome::Crash, crash.signal, text);
}

char* spare_stack_top() {
  constexpr size_t kSize = 256 << 10;
  if (!crash.stack) crash.stack = static_cast<char*>(map_unsaved_pages(kSize));
  return crash.stack + kSize - 64;
}

#if defined(__x86_64__)
// Makes the handler return to crash_continue().
void continue_crash(ucontext_t* context) {
  crash.unwinding = false;
  greg_t* registers = context->uc_mcontext.gregs;
  registers[REG_RSP] = static_cast<greg_t>((reinterpret_cast<uintptr_t>(spare_stack_top()) & ~uintptr_t{15}) - 8);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&crash_continue);
}
#endif

// Handles signals that the runtime causes itself: first writes to watched pages, watchpoints, breakpoints, single
// steps.
bool handle_own_signal(int signal, siginfo_t* info, ucontext_t* context) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR)
    return snapshot.handle_write_fault(address) || checkpoint_policy().handle_write_fault(address);
  if (signal == SIGSEGV && info->si_code == SI_KERNEL) return handle_cycle_counter(context);
  if (signal != SIGTRAP) return false;
#if defined(__x86_64__)
  constexpr int kWatchpoint = 6;  // TRAP_PERF, which older headers do not have
  greg_t* registers = context->uc_mcontext.gregs;
  if (info->si_code == kWatchpoint) {
    call_sites.hit(static_cast<uintptr_t>(registers[REG_RIP]));
    return true;
  }
  if (trusted_sections.handle_trap(info, context) || locked_instructions.handle_trap(info, context)) return true;
  // A breakpoint: a single step has another code.
  if (info->si_code == SI_KERNEL && plain_functions.handle_trap(static_cast<uintptr_t>(registers[REG_RIP]),
                                                                static_cast<uintptr_t>(registers[REG_RSP]))) {
    --registers[REG_RIP];
    return true;
  }
#endif
  return handle_trap(info, context);
}

bool overflows_stack(const Thread& thread, uintptr_t address, uintptr_t stack_pointer) {
  const auto low = reinterpret_cast<uintptr_t>(thread.stack_low);
  if (low && address < low && address >= low - kStackStride) return true;
  return thread.id == kMainThread && address + 65536 > stack_pointer && address < stack_pointer + 4096;
}

void on_signal(int signal, siginfo_t* info, void* raw_context) {
  auto* context = static_cast<ucontext_t*>(raw_context);
  if (handle_own_signal(signal, info, context)) return;
#if defined(__x86_64__)
  if (crash.unwinding) {  // report the crash without its stack
    runtime.running = true;
    return continue_crash(context);
  }
#endif
  if (!runtime.running || thread_pointer() != runtime.current->tls) {
    // Not a controlled thread of the program: take the default action.
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    LOCKSTEP_REAL(sigaction)(signal, &action, nullptr);
    if (info->si_code <= 0) sys(SYS_tgkill, sys(SYS_getpid), sys(SYS_gettid), signal);
    return;
  }
#if defined(__x86_64__)
  const uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
  crash.signal = signal;
  crash.address = signal == SIGABRT ? 0 : address;
  crash.overflow = signal == SIGSEGV && overflows_stack(*runtime.current, address,
                                                        static_cast<uintptr_t>(context->uc_mcontext.gregs[REG_RSP]));
  if (run_own_handler_next(signal, info, raw_context, crash.overflow)) return;
  crash.unwinding = true;
  scheduler().record_failure();  // here the unwinder can see the interrupted frames
  if (UNLIKELY(runtime.channel->debug)) debug_failure();
  continue_crash(context);
#else
#error "port: continue in crash_continue()"
#endif
}

// False if the unwinder is running, because it is not reentrant: it then has a frame on the stack.
bool can_unwind(const void* context) {
#if defined(__x86_64__)
  constexpr uintptr_t kDeepest = 64 << 10;
  const greg_t* registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  const auto pc = static_cast<uintptr_t>(registers[REG_RIP]);
  if (from_unwinder(reinterpret_cast<const void*>(pc))) return false;
  // During a switch between threads there is no stack to unwind. A thread that is stuck in the runtime's code is in a
  // system call.
  constexpr uint16_t kSyscall = 0x050f;
  uint16_t before;
  copy_bytes(&before, reinterpret_cast<const void*>(pc - sizeof before), sizeof before);
  if (is_own_code(pc) && before != kSyscall) return false;
  const auto low = static_cast<uintptr_t>(registers[REG_RSP]) & ~uintptr_t{7};
  const auto top = reinterpret_cast<uintptr_t>(runtime.current->stack_top);
  const uintptr_t size = top - low < kDeepest ? top - low : top > low && top - low < kStackStride ? kDeepest : 0;
  for (uintptr_t at = low; at < low + size; at += sizeof(void*))
    if (from_unwinder(*reinterpret_cast<void* const*>(at))) return false;
#endif
  return true;
}

// The driver's watchdog signal: reports the number of steps, and the stack of the running thread if it can be unwound.
void on_watchdog(int, siginfo_t*, void* context) {
  Channel* channel = runtime.channel;
  if (!channel || (!runtime.running && runtime.isolation == Isolation::Fork)) return;
  channel->stuck_steps.store(scheduler().log_size, std::memory_order_relaxed);
  channel->stuck_thread = index_of(runtime.current->id);
  const size_t n = can_unwind(context) ? backtrace(channel->stuck_stack, 64) : 0;
  channel->stuck_words.store(static_cast<uint32_t>(n) + 1, std::memory_order_release);
  look_for_native_loop(context);
}

}  // namespace

const char* signal_name(int signal) {
  switch (signal) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic exception (SIGFPE)";
    case SIGILL: return "illegal instruction";
    case SIGABRT: return "abort";
    case SIGTRAP: return "trap";
    default: return "signal";
  }
}

void install_signal_handlers() {
  use_crash_stack();
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  for (int signal : kCrashSignals) {
    // A trap may be a scheduling point, so it is handled on the thread's own stack, which remains while other threads
    // run.
    action.sa_flags = SA_SIGINFO | SA_NODEFER | (signal == SIGTRAP ? 0 : SA_ONSTACK);
    LOCKSTEP_REAL(sigaction)(signal, &action, nullptr);
  }
  action.sa_sigaction = on_watchdog;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  LOCKSTEP_REAL(sigaction)(kWatchdogSignal, &action, nullptr);
}

}  // namespace lockstep::rt
