// sigaction, signal, sigaltstack.
#include "runtime/process/dispositions.hpp"

#include <errno.h>

#include "runtime/intercept/process_state.hpp"
#include "runtime/serve/crash.hpp"

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

int fail(int error) {
  errno = error;
  return -1;
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

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int sigaction(int signal, const struct sigaction* fresh, struct sigaction* old) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sigaction)(signal, fresh, old);
  StateCall(StateKind::Signals, fresh ? Use::Change : Use::Look).done(0);
  const int error = set_disposition(signal, fresh, old);
  return error ? fail(error) : 0;
}
LOCKSTEP_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(signal)(number, handler);
  StateCall(StateKind::Signals, Use::Change).done(0);
  struct sigaction fresh {
  }, old{};
  fresh.sa_handler = handler;
  fresh.sa_flags = SA_RESTART;
  if (const int error = set_disposition(number, &fresh, &old)) {
    errno = error;
    return SIG_ERR;
  }
  return old.sa_handler;
}
// Handlers of crashes run on the runtime's own signal stack, whatever the program asks for.
LOCKSTEP_EXPORT int sigaltstack(const stack_t* fresh, stack_t* old) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sigaltstack)(fresh, old);
  // Of one thread only: programs ask for what they have just set.
  if (old) {
    *old = {};
    old->ss_flags = SS_DISABLE;
    if (own_stack.thread == self().id) *old = own_stack.stack;
  }
  if (fresh) {
    own_stack = {self().id, *fresh};
    if (fresh->ss_flags & SS_DISABLE) own_stack.thread = kNoThread;
    any_changed = true;
  }
  return 0;
}
