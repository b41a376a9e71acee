// Who and where a thread is: ids, names, processor.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "runtime/root.hpp"
#include "runtime/sched/threads.hpp"
#include "runtime/sched/virtual_id.hpp"

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
LOCKSTEP_EXPORT int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t* set) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_setaffinity_np)(handle, size, set);
  return thread_of(handle) ? 0 : ESRCH;
}
LOCKSTEP_EXPORT int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t* set) noexcept {
  return controlled() ? 0 : LOCKSTEP_REAL(sched_setaffinity)(pid, size, set);
}
// The driver may have the worker share its core; the program is to see what it would see by itself.
LOCKSTEP_EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t* set) noexcept {
  if (!controlled() || (pid != 0 && pid != kVirtualPid && pid != virtual_tid(self())))
    return LOCKSTEP_REAL(sched_getaffinity)(pid, size, set);
  if (size < sizeof(uint64_t) || size % sizeof(uint64_t)) {
    errno = EINVAL;
    return -1;
  }
  zero_bytes(set, size);
  copy_bytes(set, &runtime.cpus, size < sizeof runtime.cpus ? size : sizeof runtime.cpus);
  return 0;
}
LOCKSTEP_EXPORT int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t* set) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(pthread_getaffinity_np)(handle, size, set);
  if (!thread_of(handle)) return ESRCH;
  return sched_getaffinity(0, size, set) == 0 ? 0 : EINVAL;
}
LOCKSTEP_EXPORT int get_nprocs() noexcept {
  return controlled() ? CPU_COUNT(&runtime.cpus) : LOCKSTEP_REAL(get_nprocs)();
}
LOCKSTEP_EXPORT long sysconf(int name) noexcept {
  return name == _SC_NPROCESSORS_ONLN && controlled() ? CPU_COUNT(&runtime.cpus) : LOCKSTEP_REAL(sysconf)(name);
}
LOCKSTEP_EXPORT int sched_setscheduler(pid_t pid, int policy, const sched_param* parameters) noexcept {
  return controlled() ? 0 : LOCKSTEP_REAL(sched_setscheduler)(pid, policy, parameters);
}
