// Identity and place of a thread: ids, names, affinity, priority.
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/errors.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/intercept/ids.hpp"
#include "runtime/sched/refuse_call.hpp"
#include "runtime/sched/state_call.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/threads/virtual_id.hpp"

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT pid_t getpid() noexcept { return controlled() ? kVirtualPid : static_cast<pid_t>(sys(SYS_getpid)); }
LOCKSTEP_EXPORT pid_t gettid() noexcept {
  return controlled() ? virtual_tid(self()) : static_cast<pid_t>(sys(SYS_gettid));
}

LOCKSTEP_EXPORT int sched_getcpu() noexcept { return controlled() ? 0 : LOCKSTEP_REAL(sched_getcpu)(); }

// libc's functions would name the kernel thread, which all fibers share.
LOCKSTEP_EXPORT int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_setname_np)(handle, name);
  Thread* t = thread_of(handle);
  if (!t) return ESRCH;
  const size_t size = length(name);
  if (size >= sizeof t->name) return ERANGE;
  copy_bytes(t->name, name, size + 1);
  return 0;
}
LOCKSTEP_EXPORT int pthread_getname_np(pthread_t handle, char* out, size_t size) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_getname_np)(handle, out, size);
  Thread* t = thread_of(handle);
  if (!t) return ESRCH;
  if (size < sizeof t->name) return ERANGE;
  if (t->name[0]) {
    copy_bytes(out, t->name, sizeof t->name);
    return 0;
  }
  strncpy(out, program_invocation_short_name, sizeof t->name - 1);
  out[sizeof t->name - 1] = 0;
  return 0;
}

// The priority of a parked thread, or of the thread that runs all fibers, would have no effect.
LOCKSTEP_EXPORT int pthread_setschedparam(pthread_t handle, int policy, const sched_param* parameters) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_setschedparam)(handle, policy, parameters);
  return thread_of(handle) ? 0 : ESRCH;
}
// The same for processors: a thread reads the affinity that it set, or before that the one that the program was started
// with. The driver may make the worker share the core of the driver.
namespace {
constexpr size_t kWord = sizeof(uint64_t);
int set_cpus(Thread& t, size_t size, const cpu_set_t* set) {
  cpu_set_t wanted{};
  copy_bytes(&wanted, set, size < sizeof wanted ? size : sizeof wanted);
  CPU_AND(&wanted, &wanted, &runtime.cpus);
  if (CPU_COUNT(&wanted) == 0) return EINVAL;
  t.cpus = wanted;
  return 0;
}
int get_cpus(const Thread& t, size_t size, cpu_set_t* set) {
  if (size < kWord || size % kWord) return EINVAL;
  zero_bytes(set, size);
  copy_bytes(set, &t.cpus, size < sizeof t.cpus ? size : sizeof t.cpus);
  return 0;
}
bool is_caller(pid_t pid) { return pid == 0 || pid == virtual_tid(self()); }
}  // namespace
LOCKSTEP_EXPORT int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t* set) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_setaffinity_np)(handle, size, set);
  Thread* t = thread_of(handle);
  return t ? set_cpus(*t, size, set) : ESRCH;
}
LOCKSTEP_EXPORT int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t* set) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(sched_setaffinity)(pid, size, set);
  return is_caller(pid) ? error_result(set_cpus(self(), size, set)) : 0;
}
LOCKSTEP_EXPORT int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t* set) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_getaffinity_np)(handle, size, set);
  Thread* t = thread_of(handle);
  return t ? get_cpus(*t, size, set) : ESRCH;
}
LOCKSTEP_EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t* set) noexcept {
  if (!controlled() || !is_caller(pid)) return LOCKSTEP_REAL(sched_getaffinity)(pid, size, set);
  return error_result(get_cpus(self(), size, set));
}
LOCKSTEP_EXPORT int sched_setscheduler(pid_t pid, int policy, const sched_param* parameters) noexcept {
  return controlled() ? 0 : LOCKSTEP_REAL(sched_setscheduler)(pid, policy, parameters);
}

// libc applies these calls to all threads by a signal, which the pool's threads never take. Here it is enough to change
// the running thread.
namespace {
struct Ids {
  uint32_t user[3], group[3];
  int groups;
  uint32_t others[64];
  static Ids now() {
    Ids ids{};
    sys(SYS_getresuid, word(&ids.user[0]), word(&ids.user[1]), word(&ids.user[2]));
    sys(SYS_getresgid, word(&ids.group[0]), word(&ids.group[1]), word(&ids.group[2]));
    ids.groups = static_cast<int>(sys(SYS_getgroups, 64, word(ids.others)));
    return ids;
  }
};
int set_ids(const char* call, long number, long a, long b, long c) {
  const StateCall state(StateKind::Limits, Use::Change);
  const Ids before = Ids::now();
  const long result = state.done(static_cast<int>(sys(number, a, b, c)));
  if (result < 0) return fail_with(-result);
  const Ids after = Ids::now();
  if (__builtin_memcmp(&before, &after, sizeof before) != 0 && runtime.isolation != Isolation::Fork)
    refuse_call(call, "the executions to come would have the same user; use --isolation fork");
  return 0;
}
}  // namespace
#define LOCKSTEP_SETS_IDS(name, parameters, arguments, number, a, b, c) \
  LOCKSTEP_EXPORT int name parameters noexcept {                        \
    if (!controlled()) return LOCKSTEP_REAL(name) arguments;            \
    return set_ids(#name "()", number, a, b, c);                        \
  }
LOCKSTEP_SETS_IDS(setuid, (uid_t id), (id), SYS_setuid, id, 0, 0)
LOCKSTEP_SETS_IDS(setgid, (gid_t id), (id), SYS_setgid, id, 0, 0)
LOCKSTEP_SETS_IDS(seteuid, (uid_t id), (id), SYS_setresuid, -1, id, -1)
LOCKSTEP_SETS_IDS(setegid, (gid_t id), (id), SYS_setresgid, -1, id, -1)
LOCKSTEP_SETS_IDS(setreuid, (uid_t real, uid_t effective), (real, effective), SYS_setreuid, real, effective, 0)
LOCKSTEP_SETS_IDS(setregid, (gid_t real, gid_t effective), (real, effective), SYS_setregid, real, effective, 0)
LOCKSTEP_SETS_IDS(setresuid, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved), SYS_setresuid, real,
                  effective, saved)
LOCKSTEP_SETS_IDS(setresgid, (gid_t real, gid_t effective, gid_t saved), (real, effective, saved), SYS_setresgid, real,
                  effective, saved)
LOCKSTEP_SETS_IDS(setgroups, (size_t count, const gid_t* groups), (count, groups), SYS_setgroups,
                  static_cast<long>(count), word(groups), 0)

// A nice value affects when a thread runs, which the scheduler decides; the value is only stored.
namespace {
constinit int nice_value = 0;
int be_nice(int value) {
  const StateCall state(StateKind::Limits, Use::Change);
  nice_value = value < -20 ? -20 : value > 19 ? 19 : value;
  return state.done(0);
}
}  // namespace
LOCKSTEP_EXPORT int nice(int increment) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(nice)(increment);
  if (increment < 0 && sys(SYS_geteuid) != 0) return fail_with(EPERM);
  be_nice(nice_value + increment);
  return nice_value;
}
LOCKSTEP_EXPORT int setpriority(__priority_which_t which, id_t who, int value) noexcept {
  if (!controlled() || which != PRIO_PROCESS || (who != 0 && who != id_t{kVirtualPid}))
    return LOCKSTEP_REAL(setpriority)(which, who, value);
  if (value < nice_value && sys(SYS_geteuid) != 0) return fail_with(EACCES);
  return be_nice(value);
}
LOCKSTEP_EXPORT int getpriority(__priority_which_t which, id_t who) noexcept {
  if (!controlled() || which != PRIO_PROCESS || (who != 0 && who != id_t{kVirtualPid}))
    return LOCKSTEP_REAL(getpriority)(which, who);
  StateCall(StateKind::Limits, Use::Look).done(0);
  return nice_value;
}
const Module lockstep::rt::priority_module = {
    .name = "priority of the process",
    .before_execution = [] { nice_value = 0; },
};
