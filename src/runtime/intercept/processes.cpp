// Child processes. They are real and run outside the schedule, without the runtime. For their parent they are fast: a
// child has ended whenever the parent waits for it, unless it takes longer than a moment. Children that an execution
// has not waited for are ended with the execution.
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/errors.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/intercept/processes.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/cycle_counter.hpp"
#include "runtime/sched/refuse_call.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/threads/interrupt.hpp"

namespace lockstep::rt {
namespace {

constexpr unsigned kMostChildren = 256;
constexpr unsigned kMoment = 50, kPatience = 10'000;  // milliseconds
constexpr unsigned kMostForkHandlers = 64;
struct ForkHandlers {
  void (*prepare)();
  void (*in_parent)();
  void (*in_child)();
};
constinit struct {
  int pid[kMostChildren];
  unsigned count;
  ForkHandlers handlers[kMostForkHandlers];  // of pthread_atfork
  unsigned handler_count, handlers_at_snapshot;
} children{};

void born(int pid) {
  undo.started_process();
  notice(FactKind::StartsProcesses);
  if (children.count < kMostChildren) children.pid[children.count++] = pid;
  runtime.has_children = true;
}

void reaped(int pid) {
  for (unsigned i = 0; i < children.count; ++i)
    if (children.pid[i] == pid) children.pid[i] = children.pid[--children.count], --i;
  runtime.has_children = children.count != 0;
}

// In the child: from here on every call goes to the real function.
void let_go() {
  runtime.running = runtime.active = false;
  release_cycle_counter();
  children.count = 0;
  runtime.has_children = false;
  sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
}

// Polls in real time while `call` returns 0.
template <class F>
long in_a_moment(unsigned milliseconds, F&& call) {
  for (unsigned waited = 0;; ++waited) {
    const long result = call();
    if (result != 0 || waited >= milliseconds) return result;
    timespec pause{0, 1'000'000};
    sys(SYS_nanosleep, word(&pause), 0);
  }
}

// Waits for a child as a step; other threads run while it does not end.
template <class F>
long wait_for_child(int options, F&& call) {
  cancellation_point();
  scheduler().reach(OpKind::Io, &children, Step::kWrite);
  for (unsigned waited = 0;; waited += kMoment) {
    const long result = in_a_moment(kMoment, call);
    if (result != 0 || options & WNOHANG) return result;
    if (waited >= kPatience) refuse_call("wait", "its child process does not end");
    if (scheduler().live_count > 1) scheduler().reach(OpKind::Yield, nullptr, Step::kYield);
  }
}

pid_t wait_as(pid_t pid, int* status, int options, rusage* usage) {
  int how = 0;
  const long result =
      wait_for_child(options, [&] { return sys(SYS_wait4, pid, word(&how), options | WNOHANG, word(usage)); });
  if (result < 0) return fail_with(-result);
  if (result > 0 && (WIFEXITED(how) || WIFSIGNALED(how))) reaped(static_cast<int>(result));
  if (result > 0 && status) *status = how;
  return static_cast<pid_t>(result);
}

}  // namespace

void end_children() {
  for (; children.count; --children.count) {
    const int pid = children.pid[children.count - 1];
    sys(SYS_kill, pid, SIGKILL);
    sys(SYS_wait4, pid, 0, 0, 0);
  }
  runtime.has_children = false;
}

bool child_lives() {
  for (unsigned i = 0; i < children.count; ++i) {
    siginfo_t ended{};
    if (sys(SYS_waitid, P_PID, children.pid[i], word(&ended), WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0)
      return true;
  }
  return false;
}

bool has_processes() {
  if (runtime.has_children) return true;
  siginfo_t ended{};
  if (sys(SYS_waitid, P_ALL, 0, word(&ended), WEXITED | WNOHANG | WNOWAIT) != 0) return false;
  notice(FactKind::StartsProcesses);
  return true;
}

void wake_sleeping_children(const uint32_t* word) { futex_wake(word); }

const Module processes_module = {
    .name = "child processes",
    .at_snapshot = [] { children.handlers_at_snapshot = children.handler_count; },
    .restore =
        [] {
          end_children();
          children.handler_count = children.handlers_at_snapshot;
        },
    .leave_for_checkpoint = end_children,
};

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

// Replaces libc's fork, which would treat the stacks of all threads but this one as free memory in the child, although
// the fiber runs on one of them.
LOCKSTEP_EXPORT pid_t _Fork() noexcept {
  if (!controlled()) return LOCKSTEP_REAL(_Fork)();
  snapshot.touch_shared();
  const long pid = sys(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid < 0) return fail_with(-pid);
  if (pid == 0)
    let_go();
  else
    born(static_cast<int>(pid));
  return static_cast<pid_t>(pid);
}
LOCKSTEP_EXPORT pid_t fork() noexcept {
  if (!controlled()) return LOCKSTEP_REAL(fork)();
  const unsigned count = children.handler_count;
  const auto call = [](void (*handler)()) {
    if (handler) handler();
  };
  for (unsigned i = count; i-- > 0;) call(children.handlers[i].prepare);
  const pid_t pid = _Fork();
  for (unsigned i = 0; i < count; ++i) call(pid == 0 ? children.handlers[i].in_child : children.handlers[i].in_parent);
  return pid;
}
// The child has its own memory, so it cannot disturb the frame that its parent returns from.
LOCKSTEP_EXPORT pid_t vfork() noexcept { return controlled() ? _Fork() : static_cast<pid_t>(sys(SYS_fork)); }

// pthread_atfork calls this; pthread_atfork itself is linked into the program.
extern "C" int __register_atfork(void (*)(), void (*)(), void (*)(), void*) noexcept;
LOCKSTEP_EXPORT int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* dso) noexcept {
  if (!runtime.active || (!controlled() && snapshot.taken()))
    return LOCKSTEP_REAL(__register_atfork)(prepare, parent, child, dso);
  if (children.handler_count == kMostForkHandlers) return ENOMEM;
  children.handlers[children.handler_count++] = {prepare, parent, child};
  return 0;
}

// A clone with separate memory is a fork that calls a function; death tests of GoogleTest use it. The child continues
// on a copy of this stack.
LOCKSTEP_EXPORT int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept {
  va_list list;
  va_start(list, argument);
  auto* parent_id = va_arg(list, pid_t*);
  void* tls = va_arg(list, void*);
  auto* child_id = va_arg(list, pid_t*);
  va_end(list);
  if (controlled() && flags & (CLONE_VM | CLONE_THREAD | CLONE_SETTLS))
    refuse_call("clone()", "it makes a thread that cannot be controlled");
  if (!controlled()) return LOCKSTEP_REAL(clone)(function, stack, flags, argument, parent_id, tls, child_id);
  snapshot.touch_shared();
  const long pid = sys(SYS_clone, flags, 0, word(parent_id), word(child_id), 0);
  if (pid < 0) return fail_with(-pid);
  if (pid == 0) {
    let_go();
    _exit(function(argument));
  }
  born(static_cast<int>(pid));
  return static_cast<int>(pid);
}

#define LOCKSTEP_SPAWN(name)                                                                                        \
  LOCKSTEP_EXPORT int name(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,                 \
                           const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) { \
    if (!controlled()) return LOCKSTEP_REAL(name)(pid, file, actions, attributes, arguments, environment);          \
    pid_t started = 0;                                                                                              \
    const ReleasedCycleCounter released;                                                                            \
    const int error = LOCKSTEP_REAL(name)(&started, file, actions, attributes, arguments, environment);             \
    if (!error) born(started);                                                                                      \
    if (!error && pid) *pid = started;                                                                              \
    return error;                                                                                                   \
  }
LOCKSTEP_SPAWN(posix_spawn)
LOCKSTEP_SPAWN(posix_spawnp)

LOCKSTEP_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  return controlled() ? wait_as(pid, status, options, nullptr) : LOCKSTEP_REAL(waitpid)(pid, status, options);
}
LOCKSTEP_EXPORT pid_t wait(int* status) {
  return controlled() ? wait_as(-1, status, 0, nullptr) : LOCKSTEP_REAL(wait)(status);
}
LOCKSTEP_EXPORT pid_t wait4(pid_t pid, int* status, int options, rusage* usage) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(wait4)(pid, status, options, usage);
  about_to_write(usage, sizeof *usage);
  return wait_as(pid, status, options, usage);
}
LOCKSTEP_EXPORT pid_t wait3(int* status, int options, rusage* usage) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(wait3)(status, options, usage);
  about_to_write(usage, sizeof *usage);
  return wait_as(-1, status, options, usage);
}
LOCKSTEP_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  if (!controlled()) return LOCKSTEP_REAL(waitid)(type, id, info, options);
  siginfo_t how{};
  const long result = wait_for_child(options, [&]() -> long {
    how.si_pid = 0;
    const long error = sys(SYS_waitid, type, id, word(&how), options | WNOHANG);
    return error < 0 ? error : how.si_pid;
  });
  if (result < 0) return fail_with(-result);
  if (result > 0 && !(options & WNOWAIT)) reaped(static_cast<int>(result));
  if (info) *info = how;
  return 0;
}
