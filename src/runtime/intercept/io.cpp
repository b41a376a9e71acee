// Calls through which the kernel writes into the program's memory, and locks of stdio that must not be held across
// a switch.
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/root.hpp"

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT ssize_t read(int fd, void* buffer, size_t size) {
  about_to_write(buffer, size);
  return LOCKSTEP_REAL(read)(fd, buffer, size);
}
LOCKSTEP_EXPORT ssize_t pread(int fd, void* buffer, size_t size, off_t offset) {
  about_to_write(buffer, size);
  return LOCKSTEP_REAL(pread)(fd, buffer, size, offset);
}
LOCKSTEP_EXPORT ssize_t readv(int fd, const iovec* parts, int count) {
  for (int i = 0; i < count; ++i) about_to_write(parts[i].iov_base, parts[i].iov_len);
  return LOCKSTEP_REAL(readv)(fd, parts, count);
}
LOCKSTEP_EXPORT ssize_t recv(int fd, void* buffer, size_t size, int flags) {
  about_to_write(buffer, size);
  return LOCKSTEP_REAL(recv)(fd, buffer, size, flags);
}
LOCKSTEP_EXPORT ssize_t recvfrom(int fd, void* buffer, size_t size, int flags, sockaddr* from, socklen_t* length) {
  about_to_write(buffer, size);
  return LOCKSTEP_REAL(recvfrom)(fd, buffer, size, flags, from, length);
}

LOCKSTEP_EXPORT void flockfile(FILE* stream) noexcept {
  if (controlled()) scheduler().forbid_preemption(true);
  LOCKSTEP_REAL(flockfile)(stream);
}
LOCKSTEP_EXPORT void funlockfile(FILE* stream) noexcept {
  LOCKSTEP_REAL(funlockfile)(stream);
  if (controlled()) scheduler().forbid_preemption(false);
}
