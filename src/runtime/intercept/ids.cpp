// Who and where a thread is: ids, names, processor.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/real.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/threads/virtual_id.hpp"

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT pid_t getpid() noexcept { return controlled() ? kVirtualPid : static_cast<pid_t>(sys(SYS_getpid)); }
LOCKSTEP_EXPORT pid_t gettid() noexcept {
  return controlled() ? virtual_tid(self()) : static_cast<pid_t>(sys(SYS_gettid));
}

LOCKSTEP_EXPORT int sched_getcpu() noexcept { return controlled() ? 0 : LOCKSTEP_REAL(sched_getcpu)(); }

// libc's go to the kernel thread, which fibers share.
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

// A priority given to a parked thread, or to the one that runs all fibers, would mean nothing.
LOCKSTEP_EXPORT int pthread_setschedparam(pthread_t handle, int policy, const sched_param* parameters) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_setschedparam)(handle, policy, parameters);
  return thread_of(handle) ? 0 : ESRCH;
}
// Likewise for processors: a thread is told what it asked for, and before that where the program was started; the
// driver may have the worker share its core.
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
int as_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
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
  return is_caller(pid) ? as_errno(set_cpus(self(), size, set)) : 0;
}
LOCKSTEP_EXPORT int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t* set) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_getaffinity_np)(handle, size, set);
  Thread* t = thread_of(handle);
  return t ? get_cpus(*t, size, set) : ESRCH;
}
LOCKSTEP_EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t* set) noexcept {
  if (!controlled() || !is_caller(pid)) return LOCKSTEP_REAL(sched_getaffinity)(pid, size, set);
  return as_errno(get_cpus(self(), size, set));
}
LOCKSTEP_EXPORT int sched_setscheduler(pid_t pid, int policy, const sched_param* parameters) noexcept {
  return controlled() ? 0 : LOCKSTEP_REAL(sched_setscheduler)(pid, policy, parameters);
}
