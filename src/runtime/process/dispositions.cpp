// Signal dispositions: those that the program sets, and those in the kernel.
#include "runtime/process/dispositions.hpp"

#include <errno.h>
#include <ucontext.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/process/own_process.hpp"

namespace lockstep::rt {
namespace {

constexpr int kSignals = 65;
struct Disposition {
  bool changed;  // by this execution
  struct sigaction wanted, initial;
};
constinit struct {
  Disposition of[kSignals];
  bool changed;  // any of them changed
} dispositions{};

bool is_ours(int signal) {
  for (int ours : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, kWatchdogSignal})
    if (signal == ours) return true;
  return false;
}

// A handler that blocks traps would be killed by the runtime's breakpoints.
void install(int signal, struct sigaction action) {
  sigdelset(&action.sa_mask, SIGTRAP);
  LOCKSTEP_REAL(sigaction)(signal, &action, nullptr);
}

}  // namespace

struct sigaction disposition_of(int signal) {
  if (dispositions.of[signal].changed) return dispositions.of[signal].wanted;
  struct sigaction action {};
  if (!is_ours(signal)) LOCKSTEP_REAL(sigaction)(signal, nullptr, &action);
  return action;
}

int set_disposition(int signal, const struct sigaction* fresh, struct sigaction* old) {
  if (signal < 1 || signal >= kSignals) return EINVAL;
  if (fresh && (signal == SIGKILL || signal == SIGSTOP)) return EINVAL;
  if (old) *old = disposition_of(signal);
  if (!fresh) return 0;
  Disposition& d = dispositions.of[signal];
  if (!d.changed) {
    d.changed = dispositions.changed = true;
    if (!is_ours(signal)) LOCKSTEP_REAL(sigaction)(signal, nullptr, &d.initial);
  }
  d.wanted = *fresh;
  if (!is_ours(signal)) install(signal, *fresh);
  return 0;
}

void restore_dispositions() {
  if (LIKELY(!dispositions.changed)) return;
  for (int signal = 1; signal < kSignals; ++signal)
    if (dispositions.of[signal].changed && !is_ours(signal))
      LOCKSTEP_REAL(sigaction)(signal, &dispositions.of[signal].initial, nullptr);
  dispositions = {};
}

void apply_dispositions() {
  if (LIKELY(!dispositions.changed)) return;
  for (int signal = 1; signal < kSignals; ++signal)
    if (dispositions.of[signal].changed && !is_ours(signal)) install(signal, dispositions.of[signal].wanted);
}

namespace {

bool take_own_handler(int signal, struct sigaction& action) {
  action = disposition_of(signal);
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return false;
  if (action.sa_flags & SA_RESETHAND) dispositions.of[signal].wanted.sa_handler = SIG_DFL;
  return true;
}

void call_handler(const struct sigaction& action, int signal, siginfo_t* info, void* context) {
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
}

#if defined(__x86_64__)
// The kernel's saved context of an interrupted thread, as far as rt_sigreturn needs it.
struct SavedContext {
  ucontext_t context;
  siginfo_t info;
  struct sigaction action;
  int signal;
};

void run_and_return(SavedContext* saved) {
  call_handler(saved->action, saved->signal, &saved->info, &saved->context);
  asm volatile("mov %0, %%rsp\n mov $15, %%eax\n syscall" : : "r"(&saved->context));  // rt_sigreturn
  __builtin_unreachable();
}

size_t size_of_registers(const void* floating_point) {
  constexpr uint32_t kExtended = 0x46505853;
  uint32_t software[2];  // reserved for the kernel: a mark, and the size if it exceeds the first 512 bytes
  copy_bytes(software, static_cast<const char*>(floating_point) + 464, sizeof software);
  return software[0] == kExtended ? software[1] : 512;
}
#endif

}  // namespace

bool run_own_handler(int signal) {
  struct sigaction action;
  if (!take_own_handler(signal, action)) return false;
  call_handler(action, signal, nullptr, nullptr);
  return true;
}

bool run_own_handler_next(int signal, const siginfo_t* info, void* raw_context, bool stack_is_full) {
#if defined(__x86_64__)
  constexpr uintptr_t kRedZone = 128;
  auto& context = *static_cast<ucontext_t*>(raw_context);
  greg_t* registers = context.uc_mcontext.gregs;
  uintptr_t top = static_cast<uintptr_t>(registers[REG_RSP]) - kRedZone;
  const stack_t& own = runtime.current->signal_stack;
  const uintptr_t own_begin = reinterpret_cast<uintptr_t>(own.ss_sp);
  const bool on_own = disposition_of(signal).sa_flags & SA_ONSTACK && !(own.ss_flags & SS_DISABLE);
  struct sigaction action;
  if ((stack_is_full && !on_own) || !take_own_handler(signal, action)) return false;
  if (on_own && top - own_begin >= own.ss_size) top = own_begin + own.ss_size;
  const size_t size = size_of_registers(context.uc_mcontext.fpregs);
  auto* floating_point = reinterpret_cast<char*>((top - size) & ~uintptr_t{63});
  copy_bytes(floating_point, context.uc_mcontext.fpregs, size);
  auto* saved = reinterpret_cast<SavedContext*>(reinterpret_cast<uintptr_t>(floating_point - sizeof(SavedContext)) &
                                                ~uintptr_t{63});
  *saved = {context, *info, action, signal};
  saved->context.uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(floating_point);
  registers[REG_RDI] = reinterpret_cast<greg_t>(saved);
  registers[REG_RSP] = reinterpret_cast<greg_t>(saved) - 8;  // as after a call
  registers[REG_RIP] = reinterpret_cast<greg_t>(&run_and_return);
#endif
  return true;
}

const Module dispositions_module = {
    .name = "dispositions of signals",
    .restore = restore_dispositions,
    .leave_for_checkpoint = restore_dispositions,
    .at_checkpoint = apply_dispositions,
};

}  // namespace lockstep::rt
