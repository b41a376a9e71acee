// Other calls through which the kernel writes to the program's memory. They would fail with EFAULT on a page that is
// still read-only because nothing has written to it since the snapshot.
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/intercept/io_wait.hpp"
#include "runtime/intercept/process_state.hpp"
#include "runtime/memory/snapshot.hpp"

using namespace lockstep;
using namespace lockstep::rt;

// A call that writes `size` bytes to `out`.
#define LOCKSTEP_KERNEL_WRITES(result, name, parameters, arguments, out, size, ...) \
  LOCKSTEP_EXPORT result name parameters __VA_ARGS__ {                              \
    about_to_write(out, size);                                                      \
    return LOCKSTEP_REAL(name) arguments;                                           \
  }

LOCKSTEP_KERNEL_WRITES(int, statfs, (const char* path, struct statfs* out), (path, out), out, sizeof *out, noexcept)
LOCKSTEP_KERNEL_WRITES(int, fstatfs, (int fd, struct statfs* out), (fd, out), out, sizeof *out, noexcept)
LOCKSTEP_KERNEL_WRITES(int, getrusage, (__rusage_who_t who, rusage* out), (who, out), out, sizeof *out, noexcept)
LOCKSTEP_KERNEL_WRITES(int, sysinfo, (struct sysinfo * out), (out), out, sizeof *out, noexcept)
LOCKSTEP_KERNEL_WRITES(clock_t, times, (tms * out), (out), out, sizeof *out, noexcept)
LOCKSTEP_KERNEL_WRITES(int, getgroups, (int count, gid_t* out), (count, out), out,
                       count > 0 ? static_cast<size_t>(count) * sizeof *out : 0, noexcept)
LOCKSTEP_EXPORT size_t fread(void* out, size_t size, size_t count, FILE* stream) {
  about_to_write(out, size * count);
  const StreamCall call(stream, Use::Look);
  return call.done(LOCKSTEP_REAL(fread)(out, size, count, stream));
}
LOCKSTEP_EXPORT ssize_t pread64(int fd, void* out, size_t size, off64_t offset) {
  about_to_write(out, size);
  const StateCall call(fd, Use::Look, false);
  return call.done(LOCKSTEP_REAL(pread64)(fd, out, size, offset));
}
LOCKSTEP_EXPORT int getpeername(int fd, sockaddr* out, socklen_t* size) noexcept {
  if (size) about_to_write(out, *size);
  about_to_write(size, sizeof *size);
  return LOCKSTEP_REAL(getpeername)(fd, out, size);
}
LOCKSTEP_EXPORT ssize_t preadv(int fd, const iovec* parts, int count, off_t offset) {
  for (int i = 0; i < count; ++i) about_to_write(parts[i].iov_base, parts[i].iov_len);
  const StateCall call(fd, Use::Look, false);
  return call.done(LOCKSTEP_REAL(preadv)(fd, parts, count, offset));
}
// Only the device knows what a request writes; none of the usual requests writes more than a page.
LOCKSTEP_EXPORT int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list list;
  va_start(list, request);
  void* argument = va_arg(list, void*);
  va_end(list);
  if (controlled()) snapshot.touch_if_tracked(argument, 256);
  return LOCKSTEP_REAL(ioctl)(fd, request, argument);
}
