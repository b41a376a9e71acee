// sigaction and similar calls: the program's settings are stored, and the runtime's handlers apply them.
#include <errno.h>
#include <signal.h>

#include "runtime/base/errors.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/process/dispositions.hpp"
#include "runtime/sched/state_call.hpp"

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int sigaction(int signal, const struct sigaction* fresh, struct sigaction* old) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sigaction)(signal, fresh, old);
  StateCall(StateKind::Signals, fresh ? Use::Change : Use::Look).done(0);
  return error_result(set_disposition(signal, fresh, old));
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
LOCKSTEP_EXPORT int sigaltstack(const stack_t* fresh, stack_t* old) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sigaltstack)(fresh, old);
  stack_t& mine = self().signal_stack;
  if (old) *old = mine;
  if (fresh) mine = *fresh;
  if (fresh && fresh->ss_flags & SS_DISABLE) mine = kNoSignalStack;
  return 0;
}
