// Blocking calls on pipes, sockets and eventfds: what would block is "not enabled", and whatever a thread does to a
// descriptor may enable others. Descriptors keep their kernel objects; readiness is asked with poll(…, 0) when an I/O
// step has been done, so only the program's own threads can change it. Files and the like never block and are no steps.
#include "runtime/intercept/blocking_io.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/real.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/library_accesses.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/intercept/process_state.hpp"
#include "runtime/intercept/processes.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/threads/interrupt.hpp"
#include "runtime/threads/timers.hpp"

namespace lockstep::rt {
namespace {

// All descriptors are one object: a write to one may make another readable, and poll looks at many. So is their table:
// the numbers of new ones depend on which were closed.
const void* io_object() { return reinterpret_cast<const void*>(state_object(StateKind::Descriptors)); }

// What a blocked thread waits for: any of these to be ready. Lives on the waiting thread's stack.
struct Wanted {
  pollfd* fds;
  unsigned count;
  int epoll;  // or this epoll descriptor to have events
};

bool ready(const Wanted& w) {
  if (w.epoll >= 0) {
    pollfd p{w.epoll, POLLIN, 0};
    return sys(SYS_poll, word(&p), 1, 0) > 0;
  }
  pollfd copy[64];
  if (w.count <= 64) {
    for (unsigned i = 0; i < w.count; ++i) copy[i] = w.fds[i];
    return sys(SYS_poll, word(copy), w.count, 0) != 0;
  }
  return sys(SYS_poll, word(w.fds), w.count, 0) != 0;
}

// Can this descriptor make its caller wait for another thread?
bool may_block(int fd) {
  struct stat info {};
  if (sys(SYS_fstat, fd, word(&info)) < 0) return false;
  if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)) return true;
  return !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode) && !S_ISCHR(info.st_mode) &&
         !S_ISBLK(info.st_mode);  // anonymous inodes
}

// What is sent through a descriptor is an order between threads. The ends of a pipe have one inode; sockets, eventfds
// and what poll finds ready are all taken together.
const void* channel_of(int fd) {
  struct stat info {};
  if (sys(SYS_fstat, fd, word(&info)) < 0 || !S_ISFIFO(info.st_mode)) return io_object();
  return reinterpret_cast<const void*>(0xfffd'0000'0000'0000ull | (info.st_ino & 0xffff'ffff'ffffull));
}
void sends(int fd) {
  if (LIKELY(!race_detector.active())) return;
  race_detector.release_merge(self().id, channel_of(fd));
  race_detector.release_merge(self().id, io_object());
}
void receives(int fd) {
  if (LIKELY(!race_detector.active())) return;
  race_detector.acquire(self().id, fd < 0 ? io_object() : channel_of(fd));
}

bool nonblocking(int fd) { return sys(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK; }

void wake_waiters() {
  state_changed(StateKind::Descriptors);
  scheduler().update_waiters(io_object(), [](const Thread& t) {
    return !t.waits_for || cancelled(t) || ready(*static_cast<const Wanted*>(t.waits_for));
  });
}

// What a child process has to say comes promptly: whether it is there must not depend on how fast the child is.
void await_children(const Wanted& wanted) {
  for (int waited = 0; waited < 50 && !ready(wanted); ++waited) {
    timespec pause{0, 1'000'000};
    sys(SYS_nanosleep, word(&pause), 0);
  }
}

// For the report: which descriptor, and what about it.
Companion about(const Wanted* wanted) {
  if (!wanted) return {};
  const bool epoll = wanted->epoll >= 0;
  const int fd = epoll ? wanted->epoll : wanted->count ? wanted->fds[0].fd : -1;
  IoWait wait = epoll ? IoWait::Events : wanted->count != 1 ? IoWait::Several : IoWait::Any;
  if (wait == IoWait::Any && wanted->fds[0].events == POLLIN) wait = IoWait::Input;
  if (wait == IoWait::Any && wanted->fds[0].events == POLLOUT) wait = IoWait::Room;
  return Companion::io(wait, static_cast<uint32_t>(fd));
}

// One I/O step, when it can be done. false: it timed out, or a signal ended it (errno is EINTR then).
bool arrive(const Wanted* wanted, uint8_t flags) {
  Thread& me = self();
  cancellation_point();
  me.timed_out = false;
  me.waits_for = wanted;
  if (UNLIKELY(wanted && has_children())) await_children(*wanted);
  if (scheduler().unjoined > 0) scheduler().reasons.add(Reason::Input);
  Step& step = scheduler().reach(OpKind::Io, io_object(), static_cast<uint8_t>(Step::kWrite | flags),
                                 !wanted || ready(*wanted), about(wanted));
  me.waits_for = nullptr;
  if (interrupted_wait(me)) {
    errno = EINTR;
    return false;
  }
  if (me.timed_out) return false;
  if (UNLIKELY(wanted && cancelled(me) && !ready(*wanted))) cancelled_while_waiting(step);
  return true;
}

// Runs `call` as a step of its own that waits until `fd` is ready for `events`.
template <class F>
auto step_on(int fd, short events, bool blocks, F&& call) {
  pollfd p{fd, events, 0};
  const Wanted wanted{&p, 1, -1};
  while (!arrive(blocks ? &wanted : nullptr, 0))
    if (!self().restarts) return decltype(call())(-1);
  sends(fd);  // whatever it is: even what is read makes room for others
  const auto result = call();
  const int saved = errno;
  receives(fd);
  wake_waiters();
  errno = saved;
  return result;
}

// A transfer that goes on until all is through, as a blocking one does: whatever fits is one step. `call` does one
// part, from the given offset, without blocking.
template <class F>
ssize_t step_through(int fd, short events, size_t size, F&& call) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = step_on(fd, events, true, [&] { return call(done); });
    if (n < 0 && errno == EAGAIN) continue;  // ready, but not for as much as a message needs
    if (n <= 0) return done ? static_cast<ssize_t>(done) : n;
    done += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(done);
}

// Being writable means room for something, not for everything.
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

bool concerned(int fd) { return controlled() && may_block(fd); }
int descriptor_of(FILE* stream) { return stream ? fileno(stream) : -1; }

// Waits as poll does. Milliseconds; negative: for ever.
int wait_ready(pollfd* fds, unsigned count, int64_t timeout) {
  const Wanted wanted{fds, count, -1};
  Thread& me = self();
  if (timeout > 0) me.deadline = me.clock + static_cast<uint64_t>(timeout) * 1'000'000;
  if (!arrive(timeout ? &wanted : nullptr, timeout > 0 ? Step::kTimed : 0) && !me.timed_out) return -1;
  const long result = sys(SYS_poll, word(fds), count, 0);
  receives(-1);
  if (result < 0) errno = static_cast<int>(-result);
  return result < 0 ? -1 : static_cast<int>(result);
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
    if (fds[i].revents & POLLNVAL) {
      errno = EBADF;
      return -1;
    }
    if (read && fds[i].events & POLLIN && fds[i].revents & (POLLIN | POLLHUP | POLLERR))
      FD_SET(fds[i].fd, read), ++bits;
    if (write && fds[i].events & POLLOUT && fds[i].revents & (POLLOUT | POLLERR)) FD_SET(fds[i].fd, write), ++bits;
    if (except && fds[i].events & POLLPRI && fds[i].revents & POLLPRI) FD_SET(fds[i].fd, except), ++bits;
  }
  return bits;
}

// Can anybody but the program's own threads make this descriptor ready? The peers of sockets are looked for among its
// own.
bool reaches_outside(int fd) {
  struct stat info {};
  if (sys(SYS_fstat, fd, word(&info)) < 0) return false;
  if (S_ISCHR(info.st_mode) || undo.inherited(fd)) return true;
  if (!S_ISSOCK(info.st_mode)) return false;
  sockaddr_storage peer{}, own{};
  socklen_t size = sizeof peer;
  const bool connected = sys(SYS_getpeername, fd, word(&peer), word(&size)) == 0;
  if (!connected) {
    size = sizeof own;
    return sys(SYS_getsockname, fd, word(&own), word(&size)) == 0 &&
           size > sizeof(sa_family_t);  // has a name others can use
  }
  if (size <= sizeof(sa_family_t)) return false;  // the nameless other end of a pair
  for (int other = 3; other < 1024; ++other) {
    socklen_t other_size = sizeof own;
    if (other == fd || sys(SYS_getsockname, other, word(&own), word(&other_size)) != 0 || other_size != size) continue;
    if (__builtin_memcmp(&own, &peer, size) == 0) return false;
  }
  return true;
}

// The descriptors that an epoll descriptor watches, from /proc: "tfd:        5 events: ..."
bool watches_outside(int epoll) {
  char path[64], text[4096];
  format(path, sizeof path, "/proc/self/fdinfo/%u", static_cast<uint64_t>(epoll));
  const long file = sys(SYS_openat, AT_FDCWD, word(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const long size = sys(SYS_read, file, word(text), sizeof text - 1);
  sys(SYS_close, file);
  if (size <= 0) return false;
  text[size] = 0;
  for (const char* p = text; *p; ++p) {
    if (!starts_with(p, "tfd:")) continue;
    for (p += 4; *p == ' ' || *p == '\t'; ++p) {
    }
    int fd = 0;
    for (; *p >= '0' && *p <= '9'; ++p) fd = fd * 10 + (*p - '0');
    if (reaches_outside(fd)) return true;
    if (!*p) break;
  }
  return false;
}

// What one thread writes there the other can read as soon as the call is over. The network may take a moment.
bool delivers_at_once(int fd) {
  struct stat info {};
  if (sys(SYS_fstat, fd, word(&info)) < 0) return false;
  if (S_ISFIFO(info.st_mode)) return true;
  if (S_ISSOCK(info.st_mode)) {
    int domain = 0;
    socklen_t size = sizeof domain;
    return sys(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, word(&domain), word(&size)) == 0 && domain == AF_UNIX;
  }
  char path[64], kind[64] = {};
  format(path, sizeof path, "/proc/self/fd/%u", static_cast<uint64_t>(fd));
  sys(SYS_readlinkat, AT_FDCWD, word(path), word(kind), sizeof kind - 1);
  return starts_with(kind, "anon_inode:[eventfd]");
}

// From or to a file, or whatever else does not block.
template <class F>
ssize_t transfer(int fd, Use use, F&& call) {
  const StateCall state(fd, use, true);
  return state.done(call());
}

bool waits(int fd, int flags) { return !(flags & MSG_DONTWAIT) && !nonblocking(fd); }

}  // namespace

StreamCall::StreamCall(FILE* stream, Use use)
    : channel_(concerned(descriptor_of(stream)) ? descriptor_of(stream) : -1),
      state_(descriptor_of(stream), use, true) {
  const bool reads = use == Use::Look;
  if (channel_ < 0 || scheduler().unjoined == 0 || (reads && stream->_IO_read_ptr < stream->_IO_read_end)) return;
  step_on(channel_, POLLIN, reads && !nonblocking(channel_), [] { return 0; });
}

void StreamCall::finish() const {
  const int saved = errno;
  sends(channel_);
  receives(channel_);
  wake_waiters();
  errno = saved;
}

bool outside_helps() {
  constexpr int kMoment = 20, kPatience = 1000;  // milliseconds: the kernel's own delays; somebody else's
  Scheduler& s = scheduler();
  bool any = false, outside = false, at_once = true;
  s.live.for_each(s.words(), [&](ThreadId t) {
    const auto* wanted = static_cast<const Wanted*>(s.thread(t).parked ? s.thread(t).waits_for : nullptr);
    if (!wanted) return;
    any = true;
    for (unsigned i = 0; i < wanted->count; ++i) {
      outside |= reaches_outside(wanted->fds[i].fd);
      at_once &= delivers_at_once(wanted->fds[i].fd);
    }
    if (wanted->epoll < 0) return;
    outside |= watches_outside(wanted->epoll);
    at_once = false;
  });
  if (!any) return false;
  outside |= has_children();
  if (at_once && !outside) return false;
  for (int waited = 0; waited < (outside ? kPatience : kMoment); waited += 10) {
    timespec moment{0, 10'000'000};
    sys(SYS_nanosleep, word(&moment), 0);
    wake_waiters();
    if (s.enabled.empty(s.words())) continue;
    if (outside) notice(FactKind::OutsideInput);
    return true;
  }
  if (outside)
    s.end(Outcome::Uncontrolled, 0,
          "the program waits for input from outside, which cannot be controlled; let one of its own threads write the "
          "input");
  return false;
}

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

#define LOCKSTEP_CALL(name, ...) [&] { return LOCKSTEP_REAL(name)(__VA_ARGS__); }

// What is sent is read before the receiver can know of it; of very much the beginning.
static void sends(const void* buffer, size_t size, const void* caller) {
  constexpr size_t kMost = 1 << 20;
  Look(caller).reads(buffer, size < kMost ? size : kMost);
}
// What has come is written after the sender has been waited for, and ordered after it.
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
  if (controlled() && fd < 3) undo.opened();  // the standard ones are there again for the next execution
  if (!concerned(fd)) {
    const StateCall state(StateKind::Descriptors, Use::Change);
    return state.done(LOCKSTEP_REAL(close)(fd));
  }
  return step_on(fd, 0, false, LOCKSTEP_CALL(close, fd));  // the other end sees it
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
  wake_waiters();  // an edge-triggered event that one has seen is gone for the others
  return result;
}
LOCKSTEP_EXPORT int epoll_pwait(int fd, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  if (!controlled()) return LOCKSTEP_REAL(epoll_pwait)(fd, events, most, timeout, mask);
  return epoll_wait(fd, events, most, timeout);
}
LOCKSTEP_EXPORT int epoll_ctl(int fd, int operation, int about, epoll_event* event) noexcept {
  if (!controlled()) return LOCKSTEP_REAL(epoll_ctl)(fd, operation, about, event);
  return step_on(fd, 0, false, LOCKSTEP_CALL(epoll_ctl, fd, operation, about, event));
}
