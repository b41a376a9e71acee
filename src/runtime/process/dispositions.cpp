// What the program wants done with signals, and what the kernel does.
#include "runtime/process/dispositions.hpp"

#include <errno.h>

#include "runtime/base/real.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/process/control.hpp"

namespace lockstep::rt {
namespace {

constexpr int kSignals = 65;
struct Disposition {
  bool changed;  // by this execution
  struct sigaction wanted, initial;
};
constinit struct {
  Disposition of[kSignals];
  bool changed;  // any of them
} dispositions{};

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

bool run_own_handler(int signal, siginfo_t* info, void* context) {
  const struct sigaction action = disposition_of(signal);
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return false;
  if (action.sa_flags & SA_RESETHAND) dispositions.of[signal].wanted.sa_handler = SIG_DFL;
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
