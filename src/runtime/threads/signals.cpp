// Signals from one thread of the program to another. A signal is delivered after the target's next step. If the target
// waits, delivery is a step of its own; then the target waits on or returns EINTR, depending on its call. The handler
// runs on the target's stack and is not preempted.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "runtime/base/errors.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/timespec.hpp"
#include "runtime/checks/frames.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/process/dispositions.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/refuse_call.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"
#include "runtime/threads/interrupt.hpp"
#include "runtime/threads/virtual_id.hpp"

namespace lockstep::rt {
namespace {

uint64_t bit(int signal) { return 1ull << (signal - 1); }
bool valid(int signal) { return signal >= 1 && signal <= 64; }
uint64_t& bits(sigset_t* set) { return *reinterpret_cast<uint64_t*>(set); }
uint64_t bits(const sigset_t* set) { return *reinterpret_cast<const uint64_t*>(set); }

// Stop signals have no effect: a stopped program would be continued at once.
bool ignored_by_default(int signal) {
  for (const int harmless : {SIGCHLD, SIGURG, SIGWINCH, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU})
    if (signal == harmless) return true;
  return false;
}

void run_handler(Thread& me, int signal) {
  me.signals &= ~bit(signal);
  scheduler().process_signals &= ~bit(signal);
  race_detector.acquire(me.id, token_of(me));
  ++me.handled;
  const struct sigaction action = disposition_of(signal);
  if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL) return;
  if (!(action.sa_flags & SA_RESTART)) me.restarts = false;
  const uint64_t mask = me.signal_mask;
  me.signal_mask |= bits(&action.sa_mask) | (action.sa_flags & SA_NODEFER ? 0 : bit(signal));
  scheduler().forbid_preemption(true);
  CallBack handler;
  const int saved = errno;
  if (action.sa_flags & SA_SIGINFO) {
    siginfo_t info{};
    info.si_signo = signal;
    info.si_code = SI_TKILL;
    info.si_pid = kVirtualPid;
    char no_context[1024] = {};
    action.sa_sigaction(signal, &info, no_context);
  } else {
    action.sa_handler(signal);
  }
  errno = saved;
  scheduler().forbid_preemption(false);
  me.signal_mask = mask;
}

void run_handlers(Thread& me) {
  while (const uint64_t ready = (me.signals | scheduler().process_signals) & ~me.signal_mask & ~me.awaited_signals)
    run_handler(me, __builtin_ctzll(ready) + 1);
}

// The object that the target waits for, if any: the order of its steps against the signal is visible there.
Companion awaited_by(const Thread& target) {
  return is_acquire(target.pending.kind) ? Companion::waited_for(target.pending.object) : Companion{};
}

// Performs the signal, after its step.
int arrive(Thread& target, int signal) {
  Scheduler& s = scheduler();
  Thread& me = self();
  if (target.life != Life::Live) return 0;
  race_detector.release_merge(me.id, token_of(target));
  if (target.awaited_signals & bit(signal)) {
    target.signals |= bit(signal);
    if (&target != &me) s.enable(target, true);
    return 0;
  }
  const struct sigaction action = disposition_of(signal);
  const bool blocked = target.signal_mask & bit(signal);
  if (!blocked && action.sa_handler == SIG_IGN) return 0;
  if (!blocked && action.sa_handler == SIG_DFL) {
    if (ignored_by_default(signal)) return 0;
    if (signal == SIGABRT) s.end(Outcome::Abort, SIGABRT, "abort");
    char text[64];
    format(text, sizeof text, "the program was ended by signal %d", static_cast<int64_t>(signal));
    s.end(Outcome::ExitCode, 128 + signal, text);
  }
  target.signals |= bit(signal);
  if (blocked) return 0;
  if (&target == &me) {
    run_handlers(me);
  } else if (!let_go_round(target) && target.parked && !s.enabled.contains(target.id)) {
    s.interrupt(target);
  } else {
    runtime.interrupted = true;
  }
  if (&target != &me) notice(FactKind::SignalsBetweenThreads);
  return 0;
}

int send(Thread& target, int signal) {
  if (&target != &self()) {
    scheduler().reasons.add(Reason::Interrupt);
    scheduler().reach(OpKind::Signal, token_of(target), Step::kWrite, true, awaited_by(target));
  }
  return arrive(target, signal);
}

// A signal to the process goes to a thread that waits for it, otherwise to a thread that does not block it.
Thread* receiver(int signal) {
  Scheduler& s = scheduler();
  Thread* waiting = nullptr;
  Thread* open = self().signal_mask & bit(signal) ? nullptr : &self();
  s.live.for_each(s.words(), [&](ThreadId t) {
    Thread& other = s.thread(t);
    if (!waiting && other.awaited_signals & bit(signal)) waiting = &other;
    if (!open && !(other.signal_mask & bit(signal))) open = &other;
  });
  return waiting ? waiting : open;
}

int wait_for_signal(const sigset_t* set, uint8_t flags, siginfo_t* info) {
  Thread& me = self();
  cancellation_point();
  me.timed_out = false;
  me.awaited_signals = bits(set);
  const auto arrived = [&me] { return (me.signals | scheduler().process_signals) & me.awaited_signals; };
  Step& step =
      scheduler().reach(OpKind::Signal, token_of(me), static_cast<uint8_t>(Step::kWrite | flags), arrived() != 0);
  const bool other = interrupted_wait(me);  // a signal that it did not wait for
  if (!other && !me.timed_out && !arrived()) cancelled_while_waiting(step);
  const uint64_t ready = arrived();
  me.awaited_signals = 0;
  if (!ready) return me.timed_out ? -EAGAIN : -EINTR;
  const int signal = __builtin_ctzll(ready) + 1;
  (me.signals & bit(signal) ? me.signals : scheduler().process_signals) &= ~bit(signal);
  race_detector.acquire(me.id, token_of(me));
  if (info) {
    zero_bytes(info, sizeof *info);
    info->si_signo = signal;
    info->si_code = SI_TKILL;
  }
  return signal;
}

int change_mask(int how, const sigset_t* set, sigset_t* old) {
  Thread& me = self();
  if (old) {
    zero_bytes(old, sizeof *old);
    bits(old) = me.signal_mask;
  }
  if (!set) return 0;
  switch (how) {
    case SIG_BLOCK: me.signal_mask |= bits(set); break;
    case SIG_UNBLOCK: me.signal_mask &= ~bits(set); break;
    case SIG_SETMASK: me.signal_mask = bits(set); break;
    default: return EINVAL;
  }
  me.signal_mask &= ~(bit(SIGKILL) | bit(SIGSTOP));
  run_handlers(me);
  return 0;
}

// Waits until a handler has run, with the signal mask `wanted`.
void wait_for_handler(uint64_t wanted) {
  Thread& me = self();
  cancellation_point();
  const uint64_t mask = me.signal_mask;
  me.signal_mask = wanted;
  const uint32_t before = me.handled;
  run_handlers(me);
  while (me.handled == before) {
    Step& step = scheduler().reach(OpKind::Signal, token_of(me), Step::kWrite, false);
    if (!interrupted_wait(me) && cancelled(me)) cancelled_while_waiting(step);
  }
  me.signal_mask = mask;
  run_handlers(me);
}

}  // namespace

void deliver_interrupts(Thread& me, const Step& step) {
  // Not inside an atomic operation: these are noexcept, and unwinding from one would end the program.
  const bool atomic = step.kind >= OpKind::Load && step.kind <= OpKind::Fence;
  if (me.cancel_async && cancelled(me) && !atomic) act_on_cancel();
  run_handlers(me);
}

bool take_signal(Thread& me, OpKind waits_in) {
  me.signalled = false;
  me.restarts = true;
  run_handlers(me);
  // Other calls wait on, whatever the handler did.
  me.interrupted = waits_in == OpKind::SemWait || waits_in == OpKind::FutexBlocked || waits_in == OpKind::Io ||
                   waits_in == OpKind::Signal;
  return me.interrupted;
}

int send_signal_to_process(int signal) {
  if (Thread* target = receiver(signal)) return send(*target, signal);
  scheduler().reach(OpKind::Signal, token_of(self()), Step::kWrite);
  if (Thread* target = receiver(signal)) return arrive(*target, signal);
  if (disposition_of(signal).sa_handler != SIG_IGN) scheduler().process_signals |= bit(signal);
  return 0;
}

int send_signal(pthread_t handle, int signal) {
  Thread* target = thread_of(handle);
  if (!target || target->joined) return ESRCH;
  if (signal == 0) return 0;
  return valid(signal) ? send(*target, signal) : EINVAL;
}

int send_signal_by_id(long tid, int signal) {
  const long index = tid - kVirtualPid;
  if (index < 0 || index >= static_cast<long>(kMaxThreads) || runtime.threads[index].life != Life::Live) return ESRCH;
  if (signal == 0) return 0;
  return valid(signal) ? send(runtime.threads[index], signal) : EINVAL;
}

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int pthread_kill(pthread_t handle, int signal) noexcept {
  return controlled() ? send_signal(handle, signal) : LOCKSTEP_REAL(pthread_kill)(handle, signal);
}
LOCKSTEP_EXPORT int pthread_sigqueue(pthread_t handle, int signal, const sigval value) noexcept {
  return controlled() ? send_signal(handle, signal) : LOCKSTEP_REAL(pthread_sigqueue)(handle, signal, value);
}
LOCKSTEP_EXPORT int raise(int signal) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(raise)(signal);
  return valid(signal) || signal == 0 ? error_result(signal ? send(self(), signal) : 0) : error_result(EINVAL);
}
LOCKSTEP_EXPORT int kill(pid_t pid, int signal) noexcept {
  if (!controlled() || (pid != kVirtualPid && pid != 0)) return LOCKSTEP_REAL(kill)(pid, signal);
  if (signal == 0) return 0;
  return valid(signal) ? error_result(send_signal_to_process(signal)) : error_result(EINVAL);
}
LOCKSTEP_EXPORT int tgkill(pid_t pid, pid_t tid, int signal) {
  if (!controlled()) return LOCKSTEP_REAL(tgkill)(pid, tid, signal);
  return error_result(send_signal_by_id(tid, signal));
}
LOCKSTEP_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  return controlled() ? change_mask(how, set, old) : LOCKSTEP_REAL(pthread_sigmask)(how, set, old);
}
LOCKSTEP_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  return controlled() ? error_result(change_mask(how, set, old)) : LOCKSTEP_REAL(sigprocmask)(how, set, old);
}
LOCKSTEP_EXPORT int sigpending(sigset_t* set) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sigpending)(set);
  zero_bytes(set, sizeof *set);
  bits(set) = self().signals | scheduler().process_signals;
  return 0;
}
LOCKSTEP_EXPORT int sigwait(const sigset_t* set, int* signal) {
  if (!controlled()) return LOCKSTEP_REAL(sigwait)(set, signal);
  do *signal = wait_for_signal(set, 0, nullptr);
  while (*signal < 0);  // not interruptible
  return 0;
}
LOCKSTEP_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!controlled()) return LOCKSTEP_REAL(sigwaitinfo)(set, info);
  const int result = wait_for_signal(set, 0, info);
  return result < 0 ? error_result(-result) : result;
}
LOCKSTEP_EXPORT int pause() {
  if (!controlled()) return LOCKSTEP_REAL(pause)();
  wait_for_handler(self().signal_mask);
  return error_result(EINTR);
}
LOCKSTEP_EXPORT int sigsuspend(const sigset_t* mask) {
  if (!controlled()) return LOCKSTEP_REAL(sigsuspend)(mask);
  wait_for_handler(bits(mask));
  return error_result(EINTR);
}
// Signals of the program do not reach the kernel, so a descriptor for them would never become ready.
LOCKSTEP_EXPORT int signalfd(int fd, const sigset_t* mask, int flags) noexcept {
  if (controlled()) refuse_call("signalfd()", "signals between threads are not delivered to descriptors");
  return LOCKSTEP_REAL(signalfd)(fd, mask, flags);
}
LOCKSTEP_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  if (!controlled()) return LOCKSTEP_REAL(sigtimedwait)(set, info, timeout);
  if (timeout) self().deadline = self().clock + nanoseconds(*timeout);
  const int result = wait_for_signal(set, timeout ? Step::kTimed : 0, info);
  return result < 0 ? error_result(-result) : result;
}
