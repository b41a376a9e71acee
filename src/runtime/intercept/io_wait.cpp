// Waits for descriptors, and the happens-before of data sent through them.
#include "runtime/intercept/io_wait.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/detect/races.hpp"
#include "runtime/intercept/processes.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/threads/interrupt.hpp"

namespace lockstep::rt {
namespace {

// All descriptors are one object: a write to one may make another readable, and poll reads many. The descriptor table
// belongs to it: the number of a new descriptor depends on which were closed.
const void* io_object() { return reinterpret_cast<const void*>(state_object(StateKind::Descriptors)); }

// The object through which data sent on a descriptor orders threads. The ends of a pipe have one inode; sockets,
// eventfds and descriptors that poll reports share one object.
const void* channel_of(int fd) {
  struct stat info {};
  if (sys(SYS_fstat, fd, word(&info)) < 0 || !S_ISFIFO(info.st_mode)) return io_object();
  return reinterpret_cast<const void*>(0xfffd'0000'0000'0000ull | (info.st_ino & 0xffff'ffff'ffffull));
}

// For reports: the descriptor and the awaited event.
Companion about(const Wanted* wanted) {
  if (!wanted) return {};
  const bool epoll = wanted->epoll >= 0;
  const int fd = epoll ? wanted->epoll : wanted->count ? wanted->fds[0].fd : -1;
  IoWait wait = epoll ? IoWait::Events : wanted->count != 1 ? IoWait::Several : IoWait::Any;
  if (wait == IoWait::Any && wanted->fds[0].events == POLLIN) wait = IoWait::Input;
  if (wait == IoWait::Any && wanted->fds[0].events == POLLOUT) wait = IoWait::Room;
  return Companion::io(wait, static_cast<uint32_t>(fd));
}

int descriptor_of(FILE* stream) { return stream ? fileno(stream) : -1; }

}  // namespace

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

bool may_block(int fd) {
  struct stat info {};
  if (sys(SYS_fstat, fd, word(&info)) < 0) return false;
  if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)) return true;
  return !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode) && !S_ISCHR(info.st_mode) &&
         !S_ISBLK(info.st_mode);  // anonymous inodes
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

bool arrive(const Wanted* wanted, uint8_t flags) {
  Thread& me = self();
  cancellation_point();
  me.timed_out = false;
  me.waits_for = wanted;
  if (UNLIKELY(wanted && has_children())) await_children([wanted] { return ready(*wanted); });
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

void note_error(int error) {
  Scheduler& s = scheduler();
  if (s.unjoined == 0 || s.log_size <= s.first_kept) return;  // no step was recorded
  Step& last = s.log[s.log_size - 1];
  if (last.thread == self().id && last.kind == OpKind::Io) last.set_error(error);
}

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

}  // namespace lockstep::rt
