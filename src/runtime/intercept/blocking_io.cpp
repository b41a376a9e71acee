// Blocking calls on pipes, sockets and eventfds.
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/library_accesses.hpp"
#include "runtime/intercept/io_wait.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/threads/timers.hpp"

namespace lockstep::rt {
namespace {

// A transfer that continues until all bytes are through, like a blocking one: each step transfers what fits. `call`
// transfers one part, from the given offset, without blocking.
template <class F>
ssize_t step_through(int fd, short events, size_t size, F&& call) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = step_on(fd, events, true, [&] { return call(done); });
    if (n < 0 && errno == EAGAIN) continue;  // ready, but without enough room for the message
    if (n <= 0) return done ? static_cast<ssize_t>(done) : n;
    done += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(done);
}

// A writable descriptor has room for something, not necessarily for everything.
constexpr size_t kFitsAtOnce = 4096;

template <class F>
auto without_blocking(int fd, F&& call) {
  const long flags = sys(SYS_fcntl, fd, F_GETFL);
  sys(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
  const auto result = call();
  const int saved = errno;
  sys(SYS_fcntl, fd, F_SETFL, flags);
  errno = saved;
  return result;
}

// A transfer from or to a file, or another descriptor that does not block.
template <class F>
ssize_t transfer(int fd, Use use, F&& call) {
  const StateCall state(fd, use, true);
  return state.done(call());
}

bool waits(int fd, int flags) { return !(flags & MSG_DONTWAIT) && !nonblocking(fd); }

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

#define LOCKSTEP_CALL(name, ...) [&] { return LOCKSTEP_REAL(name)(__VA_ARGS__); }

// The data is read before the receiver can know of it. Records only the beginning of large data.
static void sends(const void* buffer, size_t size, const void* caller) {
  constexpr size_t kMost = 1 << 20;
  Look(caller).reads(buffer, size < kMost ? size : kMost);
}
// The data is written after the wait for the sender, and ordered after it.
static ssize_t filled(void* buffer, ssize_t size, const void* caller) {
  if (size > 0) Look(caller).writes(buffer, static_cast<size_t>(size));
  return size;
}

LOCKSTEP_EXPORT ssize_t read(int fd, void* buffer, size_t size) {
  about_to_write(buffer, size);
  const auto call = LOCKSTEP_CALL(read, fd, buffer, size);
  const ssize_t done = concerned(fd) ? step_on(fd, POLLIN, !nonblocking(fd), call) : transfer(fd, Use::Look, call);
  return filled(buffer, done, __builtin_return_address(0));
}
LOCKSTEP_EXPORT ssize_t readv(int fd, const iovec* parts, int count) {
  for (int i = 0; i < count; ++i) about_to_write(parts[i].iov_base, parts[i].iov_len);
  if (!concerned(fd)) return transfer(fd, Use::Look, LOCKSTEP_CALL(readv, fd, parts, count));
  return step_on(fd, POLLIN, !nonblocking(fd), LOCKSTEP_CALL(readv, fd, parts, count));
}
LOCKSTEP_EXPORT ssize_t write(int fd, const void* buffer, size_t size) {
  sends(buffer, size, __builtin_return_address(0));
  if (!concerned(fd)) return transfer(fd, Use::Change, LOCKSTEP_CALL(write, fd, buffer, size));
  if (size > kFitsAtOnce && !nonblocking(fd))
    return step_through(fd, POLLOUT, size, [&](size_t at) {
      return without_blocking(
          fd, [&] { return LOCKSTEP_REAL(write)(fd, static_cast<const char*>(buffer) + at, size - at); });
    });
  return step_on(fd, POLLOUT, !nonblocking(fd), LOCKSTEP_CALL(write, fd, buffer, size));
}
LOCKSTEP_EXPORT ssize_t writev(int fd, const iovec* parts, int count) {
  if (!concerned(fd)) return transfer(fd, Use::Change, LOCKSTEP_CALL(writev, fd, parts, count));
  return step_on(fd, POLLOUT, !nonblocking(fd), LOCKSTEP_CALL(writev, fd, parts, count));
}
LOCKSTEP_EXPORT int close(int fd) {
  if (controlled()) descriptor_closed(fd);
  if (controlled() && fd < 3) undo.opened();  // the next execution gets the standard descriptors again
  if (!concerned(fd)) {
    const StateCall state(StateKind::Descriptors, Use::Change);
    return state.done(LOCKSTEP_REAL(close)(fd));
  }
  return step_on(fd, 0, false, LOCKSTEP_CALL(close, fd));  // a step, because the other end sees it
}
LOCKSTEP_EXPORT int shutdown(int fd, int how) noexcept {
  if (!concerned(fd)) return LOCKSTEP_REAL(shutdown)(fd, how);
  return step_on(fd, 0, false, LOCKSTEP_CALL(shutdown, fd, how));
}
LOCKSTEP_EXPORT ssize_t recv(int fd, void* buffer, size_t size, int flags) {
  about_to_write(buffer, size);
  const auto receive = [&]() -> ssize_t {
    if (!concerned(fd)) return LOCKSTEP_REAL(recv)(fd, buffer, size, flags);
    if (flags & MSG_WAITALL && waits(fd, flags))
      return step_through(fd, POLLIN, size, [&](size_t at) {
        return LOCKSTEP_REAL(recv)(fd, static_cast<char*>(buffer) + at, size - at,
                                   (flags & ~MSG_WAITALL) | MSG_DONTWAIT);
      });
    return step_on(fd, POLLIN, waits(fd, flags), LOCKSTEP_CALL(recv, fd, buffer, size, flags));
  };
  return filled(buffer, receive(), __builtin_return_address(0));
}
LOCKSTEP_EXPORT ssize_t recvfrom(int fd, void* buffer, size_t size, int flags, sockaddr* from, socklen_t* length) {
  about_to_write(buffer, size);
  if (from && length) about_to_write(from, *length);
  if (!concerned(fd)) return LOCKSTEP_REAL(recvfrom)(fd, buffer, size, flags, from, length);
  return step_on(fd, POLLIN, waits(fd, flags), LOCKSTEP_CALL(recvfrom, fd, buffer, size, flags, from, length));
}
LOCKSTEP_EXPORT ssize_t recvmsg(int fd, msghdr* message, int flags) {
  for (size_t i = 0; i < message->msg_iovlen; ++i)
    about_to_write(message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
  if (message->msg_control) about_to_write(message->msg_control, message->msg_controllen);
  if (!concerned(fd)) return LOCKSTEP_REAL(recvmsg)(fd, message, flags);
  return step_on(fd, POLLIN, waits(fd, flags), LOCKSTEP_CALL(recvmsg, fd, message, flags));
}
LOCKSTEP_EXPORT ssize_t send(int fd, const void* buffer, size_t size, int flags) {
  sends(buffer, size, __builtin_return_address(0));
  if (!concerned(fd)) return LOCKSTEP_REAL(send)(fd, buffer, size, flags);
  if (size > kFitsAtOnce && waits(fd, flags))
    return step_through(fd, POLLOUT, size, [&](size_t at) {
      return LOCKSTEP_REAL(send)(fd, static_cast<const char*>(buffer) + at, size - at, flags | MSG_DONTWAIT);
    });
  return step_on(fd, POLLOUT, waits(fd, flags), LOCKSTEP_CALL(send, fd, buffer, size, flags));
}
LOCKSTEP_EXPORT ssize_t sendto(int fd, const void* buffer, size_t size, int flags, const sockaddr* to,
                               socklen_t length) {
  if (!concerned(fd)) return LOCKSTEP_REAL(sendto)(fd, buffer, size, flags, to, length);
  return step_on(fd, POLLOUT, waits(fd, flags), LOCKSTEP_CALL(sendto, fd, buffer, size, flags, to, length));
}
LOCKSTEP_EXPORT ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  if (!concerned(fd)) return LOCKSTEP_REAL(sendmsg)(fd, message, flags);
  return step_on(fd, POLLOUT, waits(fd, flags), LOCKSTEP_CALL(sendmsg, fd, message, flags));
}
LOCKSTEP_EXPORT int accept4(int fd, sockaddr* from, socklen_t* length, int flags) {
  if (from && length) about_to_write(from, *length);
  if (!concerned(fd)) return LOCKSTEP_REAL(accept4)(fd, from, length, flags);
  undo.opened();
  return step_on(fd, POLLIN, !nonblocking(fd), LOCKSTEP_CALL(accept4, fd, from, length, flags));
}
LOCKSTEP_EXPORT int accept(int fd, sockaddr* from, socklen_t* length) { return accept4(fd, from, length, 0); }
LOCKSTEP_EXPORT int connect(int fd, const sockaddr* to, socklen_t length) {
  if (!concerned(fd)) return LOCKSTEP_REAL(connect)(fd, to, length);
  return step_on(fd, 0, false, LOCKSTEP_CALL(connect, fd, to, length));  // to a listening socket: completes at once
}
LOCKSTEP_EXPORT int eventfd_read(int fd, eventfd_t* value) {
  return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}
LOCKSTEP_EXPORT int eventfd_write(int fd, eventfd_t value) {
  return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}
