// poll, select and epoll.
#include <errno.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "runtime/base/errors.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/intercept/io_wait.hpp"
#include "runtime/memory/snapshot.hpp"

namespace lockstep::rt {
namespace {

// Waits like poll. Milliseconds; negative: forever.
int wait_ready(pollfd* fds, unsigned count, int64_t timeout) {
  const Wanted wanted{fds, count, -1};
  Thread& me = self();
  if (timeout > 0) me.deadline = me.clock + static_cast<uint64_t>(timeout) * 1'000'000;
  if (!arrive(timeout ? &wanted : nullptr, timeout > 0 ? Step::kTimed : 0) && !me.timed_out) return -1;
  const long result = sys(SYS_poll, word(fds), count, 0);
  receives(-1);
  return syscall_result(result);
}

int64_t milliseconds(const timespec* t) {
  if (!t) return -1;
  const int64_t ms = t->tv_sec * 1000 + (t->tv_nsec + 999'999) / 1'000'000;
  return ms;
}

int select_as_poll(int n, fd_set* read, fd_set* write, fd_set* except, int64_t timeout) {
  pollfd fds[FD_SETSIZE];
  unsigned count = 0;
  for (int fd = 0; fd < n && fd < FD_SETSIZE; ++fd) {
    short events = 0;
    if (read && FD_ISSET(fd, read)) events |= POLLIN;
    if (write && FD_ISSET(fd, write)) events |= POLLOUT;
    if (except && FD_ISSET(fd, except)) events |= POLLPRI;
    if (events) fds[count++] = {fd, events, 0};
  }
  const int found = wait_ready(fds, count, timeout);
  if (found < 0) return found;
  for (fd_set* set : {read, write, except})
    if (set) FD_ZERO(set);
  int bits = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (fds[i].revents & POLLNVAL) return fail_with(EBADF);
    if (read && fds[i].events & POLLIN && fds[i].revents & (POLLIN | POLLHUP | POLLERR))
      FD_SET(fds[i].fd, read), ++bits;
    if (write && fds[i].events & POLLOUT && fds[i].revents & (POLLOUT | POLLERR)) FD_SET(fds[i].fd, write), ++bits;
    if (except && fds[i].events & POLLPRI && fds[i].revents & POLLPRI) FD_SET(fds[i].fd, except), ++bits;
  }
  return bits;
}

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int poll(pollfd* fds, nfds_t count, int timeout) {
  about_to_write(fds, count * sizeof *fds);
  if (!controlled()) return LOCKSTEP_REAL(poll)(fds, count, timeout);
  return wait_ready(fds, static_cast<unsigned>(count), timeout);
}
LOCKSTEP_EXPORT int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  about_to_write(fds, count * sizeof *fds);
  if (!controlled()) return LOCKSTEP_REAL(ppoll)(fds, count, timeout, mask);
  return wait_ready(fds, static_cast<unsigned>(count), milliseconds(timeout));
}
LOCKSTEP_EXPORT int select(int n, fd_set* read, fd_set* write, fd_set* except, timeval* timeout) {
  if (!controlled()) return LOCKSTEP_REAL(select)(n, read, write, except, timeout);
  return select_as_poll(n, read, write, except,
                        timeout ? timeout->tv_sec * 1000 + (timeout->tv_usec + 999) / 1000 : -1);
}
LOCKSTEP_EXPORT int pselect(int n, fd_set* read, fd_set* write, fd_set* except, const timespec* timeout,
                            const sigset_t* mask) {
  if (!controlled()) return LOCKSTEP_REAL(pselect)(n, read, write, except, timeout, mask);
  return select_as_poll(n, read, write, except, milliseconds(timeout));
}
LOCKSTEP_EXPORT int epoll_wait(int fd, epoll_event* events, int most, int timeout) {
  if (most > 0) about_to_write(events, sizeof *events * static_cast<size_t>(most));
  if (!controlled()) return LOCKSTEP_REAL(epoll_wait)(fd, events, most, timeout);
  const Wanted wanted{nullptr, 0, fd};
  Thread& me = self();
  if (timeout > 0) me.deadline = me.clock + static_cast<uint64_t>(timeout) * 1'000'000;
  if (!arrive(timeout ? &wanted : nullptr, timeout > 0 ? Step::kTimed : 0) && !me.timed_out) return -1;
  const int result = LOCKSTEP_REAL(epoll_wait)(fd, events, most, 0);
  receives(-1);
  wake_waiters();  // an edge-triggered event that one thread has seen is gone for the others
  return result;
}
LOCKSTEP_EXPORT int epoll_pwait(int fd, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  if (!controlled()) return LOCKSTEP_REAL(epoll_pwait)(fd, events, most, timeout, mask);
  return epoll_wait(fd, events, most, timeout);
}
LOCKSTEP_EXPORT int epoll_ctl(int fd, int operation, int about, epoll_event* event) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(epoll_ctl)(fd, operation, about, event);
  return step_on(fd, 0, false, [&] { return LOCKSTEP_REAL(epoll_ctl)(fd, operation, about, event); });
}
