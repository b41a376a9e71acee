// Called when no thread of the program can run: can an event from outside help?
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/base/runtime.hpp"
#include "runtime/intercept/io_wait.hpp"
#include "runtime/intercept/outside_events.hpp"
#include "runtime/intercept/processes.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sync/mutex.hpp"
#include "runtime/sync/semaphore.hpp"

namespace lockstep::rt {
namespace {

// True if anything but the program's own threads can make this descriptor ready. The peer of a socket is searched among
// the program's descriptors.
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
           size > sizeof(sa_family_t);  // it has a name that others can connect to
  }
  if (size <= sizeof(sa_family_t)) return false;  // the unnamed other end of a pair
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

// True if data that one thread writes can be read as soon as the call has returned. The network may be slower.
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

// What the blocked threads wait for. An object is shared if a live child process shares its memory.
struct Waits {
  bool descriptors;  // a thread waits for descriptors
  bool at_once;      // other threads make all of these descriptors ready at once
  bool outside;      // only an event from outside can make some of them ready
  bool children;     // a thread waits for a shared lock or similar object
  bool unseen;       // an operation of the child on one of these objects cannot be seen
  bool spins;        // a thread spins on shared memory
};

bool waits_for_condition(const Thread& t) { return t.pending.kind == OpKind::Reacquire && !t.woken; }
bool is_shared(ObjectId object) { return is_shared_memory(static_cast<uintptr_t>(object)); }

Waits find_waits(Scheduler& s) {
  Waits w{};
  w.at_once = true;
  const bool child = child_lives();
  s.live.for_each(s.words(), [&](ThreadId t) {
    const Thread& thread = s.thread(t);
    if (!thread.parked) return;
    for (unsigned i = 0; child && thread.spinning && i < thread.watch_count; ++i)
      w.spins |= is_shared(ObjectId{thread.watch[i].address});
    const auto* wanted = static_cast<const Wanted*>(thread.waits_for);
    if (!wanted) {
      const Step& p = thread.pending;
      if (!child || !is_acquire(p.kind) || !is_shared(waits_for_condition(thread) ? p.second.condition() : p.object))
        return;
      w.children = true;
      w.unseen |= p.kind != OpKind::SemWait && p.kind != OpKind::Lock && p.kind != OpKind::Reacquire;
      return;
    }
    w.descriptors = true;
    for (unsigned i = 0; i < wanted->count; ++i) {
      w.outside |= reaches_outside(wanted->fds[i].fd);
      w.at_once &= delivers_at_once(wanted->fds[i].fd);
    }
    if (wanted->epoll < 0) return;
    w.outside |= watches_outside(wanted->epoll);
    w.at_once = false;
  });
  w.outside |= w.descriptors && has_processes();
  return w;
}

// A child process may have posted the semaphore or unlocked the mutex. Whether it signalled the condition variable is
// not seen: a thread that waits on one wakes, as it may at any time, and checks.
void look_at_locks(Scheduler& s) {
  s.live.for_each(s.words(), [&](ThreadId t) {
    Thread& thread = s.thread(t);
    if (!thread.parked) return;
    const auto* object = reinterpret_cast<const void*>(thread.pending.object);
    if (thread.pending.kind == OpKind::SemWait && static_cast<const Semaphore*>(object)->can_take())
      s.enable(thread, true);
    if (waits_for_condition(thread) && is_shared(thread.pending.second.condition())) {
      s.reasons.add(Reason::Input);
      thread.woken = true;
    }
    const bool locks =
        thread.pending.kind == OpKind::Lock || (thread.pending.kind == OpKind::Reacquire && thread.woken);
    if (locks && static_cast<const Mutex*>(object)->can_lock()) s.enable(thread, true);
  });
}

}  // namespace

bool outside_event_came() {
  // Milliseconds: delays of the kernel; of other processes; of a child process.
  constexpr int kMoment = 20, kPatience = 1000, kLong = 10'000;
  Scheduler& s = scheduler();
  const Waits waits = find_waits(s);
  if (waits.spins) {  // the spinner checks again after a while
    timespec moment{0, 10'000'000};
    sys(SYS_nanosleep, word(&moment), 0);
    notice(FactKind::OutsideInput);
    return true;
  }
  if (!waits.children && (!waits.descriptors || (waits.at_once && !waits.outside))) return false;
  const bool beyond = waits.outside || waits.children;
  const int patience = waits.children ? kLong : waits.outside ? kPatience : kMoment;
  for (int waited = 0; waited < patience; waited += 10) {
    const bool child_lived = waits.children && child_lives();
    timespec moment{0, 10'000'000};
    sys(SYS_nanosleep, word(&moment), 0);
    if (waits.descriptors) wake_waiters();
    if (waits.children) look_at_locks(s);
    if (!s.enabled.empty(s.words())) {
      if (beyond) notice(FactKind::OutsideInput);
      return true;
    }
    if (waits.children && !child_lived && !waits.descriptors) {
      if (!waits.unseen) return false;
      break;
    }
  }
  if (beyond)
    s.end(Outcome::Uncontrolled, 0,
          waits.children ? "the program waits for a child process, which cannot be controlled"
                         : "the program waits for input from outside, which cannot be controlled; let one of its own "
                           "threads write the input");
  return false;
}

}  // namespace lockstep::rt
