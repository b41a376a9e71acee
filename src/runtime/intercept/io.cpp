// Calls through which the kernel writes into the program's memory, and locks of stdio that must not be held across
// a switch.
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runtime/root.hpp"

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT ssize_t pread(int fd, void* buffer, size_t size, off_t offset) {
  about_to_write(buffer, size);
  return LOCKSTEP_REAL(pread)(fd, buffer, size, offset);
}

// Buffers that are often global and not yet touched.
LOCKSTEP_EXPORT int stat(const char* path, struct stat* out) noexcept {
  about_to_write(out, sizeof *out);
  return LOCKSTEP_REAL(stat)(path, out);
}
LOCKSTEP_EXPORT int lstat(const char* path, struct stat* out) noexcept {
  about_to_write(out, sizeof *out);
  return LOCKSTEP_REAL(lstat)(path, out);
}
LOCKSTEP_EXPORT int fstat(int fd, struct stat* out) noexcept {
  about_to_write(out, sizeof *out);
  return LOCKSTEP_REAL(fstat)(fd, out);
}
LOCKSTEP_EXPORT char* getcwd(char* out, size_t size) noexcept {
  about_to_write(out, size);
  return LOCKSTEP_REAL(getcwd)(out, size);
}
LOCKSTEP_EXPORT ssize_t readlink(const char* path, char* out, size_t size) noexcept {
  about_to_write(out, size);
  return LOCKSTEP_REAL(readlink)(path, out, size);
}
LOCKSTEP_EXPORT int uname(utsname* out) noexcept {
  about_to_write(out, sizeof *out);
  return LOCKSTEP_REAL(uname)(out);
}
LOCKSTEP_EXPORT int getsockname(int fd, sockaddr* out, socklen_t* size) noexcept {
  if (size) about_to_write(out, *size);
  about_to_write(size, sizeof *size);
  return LOCKSTEP_REAL(getsockname)(fd, out, size);
}
LOCKSTEP_EXPORT int getsockopt(int fd, int level, int name, void* out, socklen_t* size) noexcept {
  if (size) about_to_write(out, *size);
  about_to_write(size, sizeof *size);
  return LOCKSTEP_REAL(getsockopt)(fd, level, name, out, size);
}

LOCKSTEP_EXPORT void flockfile(FILE* stream) noexcept {
  if (controlled()) scheduler().forbid_preemption(true);
  LOCKSTEP_REAL(flockfile)(stream);
  if (controlled()) runtime.races.acquire(self().id, stream);
}
LOCKSTEP_EXPORT void funlockfile(FILE* stream) noexcept {
  if (controlled()) runtime.races.release(self().id, stream);
  LOCKSTEP_REAL(funlockfile)(stream);
  if (controlled()) scheduler().forbid_preemption(false);
}
