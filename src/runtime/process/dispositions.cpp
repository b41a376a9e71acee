// What the program wants done with signals, and what the kernel is told.
#include "runtime/process/dispositions.hpp"

#include <errno.h>

#include "runtime/base/real.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/process/control.hpp"

namespace lockstep::rt {
namespace {

constexpr int kSignals = 65;
struct Wish {
  bool changed;  // by this execution
  struct sigaction wanted, initial;
};
Wish wishes[kSignals];
bool any_changed;
struct {
  ThreadId thread = kNoThread;
  stack_t stack;
} own_stack;

bool is_ours(int signal) {
  for (int ours : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, kWatchdogSignal})
    if (signal == ours) return true;
  return false;
}

// A handler during which traps are blocked would die of the runtime's breakpoints.
void install(int signal, struct sigaction action) {
  sigdelset(&action.sa_mask, SIGTRAP);
  LOCKSTEP_REAL(sigaction)(signal, &action, nullptr);
}

}  // namespace

struct sigaction disposition_of(int signal) {
  if (wishes[signal].changed) return wishes[signal].wanted;
  struct sigaction action {};
  if (!is_ours(signal)) LOCKSTEP_REAL(sigaction)(signal, nullptr, &action);
  return action;
}

int set_disposition(int signal, const struct sigaction* fresh, struct sigaction* old) {
  if (signal < 1 || signal >= kSignals) return EINVAL;
  if (fresh && (signal == SIGKILL || signal == SIGSTOP)) return EINVAL;
  if (old) *old = disposition_of(signal);
  if (!fresh) return 0;
  Wish& wish = wishes[signal];
  if (!wish.changed) {
    wish.changed = any_changed = true;
    if (!is_ours(signal)) LOCKSTEP_REAL(sigaction)(signal, nullptr, &wish.initial);
  }
  wish.wanted = *fresh;
  if (!is_ours(signal)) install(signal, *fresh);
  return 0;
}

void set_signal_stack(ThreadId thread, const stack_t& stack) {
  own_stack = {thread, stack};
  if (stack.ss_flags & SS_DISABLE) own_stack.thread = kNoThread;
  any_changed = true;
}

stack_t signal_stack_of(ThreadId thread) {
  if (own_stack.thread == thread) return own_stack.stack;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  return none;
}

void restore_dispositions() {
  if (LIKELY(!any_changed)) return;
  any_changed = false;
  own_stack.thread = kNoThread;
  for (int signal = 1; signal < kSignals; ++signal) {
    Wish& wish = wishes[signal];
    if (!wish.changed) continue;
    wish.changed = false;
    if (!is_ours(signal)) LOCKSTEP_REAL(sigaction)(signal, &wish.initial, nullptr);
  }
}

void apply_dispositions() {
  if (LIKELY(!any_changed)) return;
  for (int signal = 1; signal < kSignals; ++signal)
    if (wishes[signal].changed && !is_ours(signal)) install(signal, wishes[signal].wanted);
}

bool run_own_handler(int signal, siginfo_t* info, void* context) {
  const struct sigaction action = disposition_of(signal);
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return false;
  if (action.sa_flags & SA_RESETHAND) wishes[signal].wanted.sa_handler = SIG_DFL;
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
  return true;
}

const Module dispositions_module = {
    .name = "dispositions of signals",
    .restore = restore_dispositions,
    .leave_for_checkpoint = restore_dispositions,
    .at_checkpoint = apply_dispositions,
};

}  // namespace lockstep::rt
