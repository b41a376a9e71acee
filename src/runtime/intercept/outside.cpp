// Nobody of the program can go on: can the world outside help?
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/base/runtime.hpp"
#include "runtime/intercept/io_wait.hpp"
#include "runtime/intercept/outside.hpp"
#include "runtime/intercept/processes.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
namespace {

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

}  // namespace

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
