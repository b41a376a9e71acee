// Calls that wait in the kernel for events that cannot be polled: file locks, System V semaphores and messages, the
// other end of a named pipe. Also POSIX message queues, which can be polled. Each call is tried without waiting; a
// thread that would block retries when another thread has changed the state of descriptors (a spin loop,
// sched/spin.hpp).
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/errors.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/intercept/blocking_calls.hpp"
#include "runtime/intercept/io_wait.hpp"
#include "runtime/intercept/process_state.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/memory/undo.hpp"
#include "runtime/sched/virtual_clock.hpp"

namespace lockstep::rt {
namespace {

constexpr StateKind kKind = StateKind::Descriptors;  // closing a descriptor releases its locks

// A single thread may wait in the kernel: no other thread could enable it.
bool waits_for_others() { return controlled() && scheduler().unjoined > 0; }

// Repeats `attempt`, which does not wait, until it succeeds or fails with an error other than `would_wait`.
template <class F>
auto until_possible(int would_wait, F&& attempt) {
  for (;;) {
    const StateCall call(kKind, Use::Change);
    const auto result = attempt();
    const bool waits = result < 0 && (errno == would_wait || errno == EAGAIN);
    call.done(waits ? -1 : 0);
    self().repeats_call = waits;
    if (!waits) return result;
  }
}

template <class F>
auto change(F&& call) {
  const StateCall state(kKind, Use::Change);
  return state.done(call());
}

// The object that orders the holders of a kernel lock on this file.
const void* object_of_file(int fd) {
  struct stat info {};
  sys(SYS_fstat, fd, word(&info));
  return reinterpret_cast<const void*>(0xfffd'0000'0000'0000ull | (info.st_ino & 0xffff'ffff'ffffull));
}
const void* object_of_id(int id) {
  return reinterpret_cast<const void*>(0xfffd'8000'0000'0000ull | static_cast<unsigned>(id));
}
void released(const void* object) {
  if (controlled() && race_detector.active()) race_detector.release_merge(self().id, object);
}
template <class T>
T acquired(const void* object, T result) {
  if (result >= 0 && controlled() && race_detector.active()) race_detector.acquire(self().id, object);
  return result;
}

// Does a descriptor of this process write to the pipe?
bool has_writer(const struct stat& pipe) {
  for (int fd = 0; fd < 1024; ++fd) {
    struct stat info {};
    const long flags = sys(SYS_fcntl, fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || sys(SYS_fstat, fd, word(&info)) != 0) continue;
    if (info.st_ino == pipe.st_ino && info.st_dev == pipe.st_dev) return true;
  }
  return false;
}

bool was_written(int fd) {  // or a writer has opened and closed it
  pollfd p{fd, POLLIN, 0};
  return sys(SYS_poll, word(&p), 1, 0) > 0;
}

// poll supports message queues, although they look like files.
template <class F>
auto on_queue(mqd_t queue, short events, const timespec* deadline, F&& call) {
  if (!deadline) return step_on(queue, events, !nonblocking(queue), call);
  pollfd p{queue, events, 0};
  const Wanted wanted{&p, 1, -1};
  self().deadline = VirtualClock::to_monotonic(CLOCK_REALTIME, *deadline);
  if (!arrive(nonblocking(queue) ? nullptr : &wanted, Step::kTimed)) {
    if (self().timed_out) errno = ETIMEDOUT;
    return decltype(call())(-1);
  }
  return step_on(queue, events, false, call);
}

}  // namespace

bool waits_for_other_end(const char* path, int flags) {
  struct stat info {};
  return waits_for_others() && !(flags & O_NONBLOCK) && (flags & O_ACCMODE) != O_RDWR &&
         sys(SYS_stat, word(path), word(&info)) == 0 && S_ISFIFO(info.st_mode);
}

int open_named_pipe(const char* path, int flags) {
  undo.opened();
  const auto open_now = [&]() -> int {
    const long fd = sys(SYS_openat, AT_FDCWD, word(path), flags | O_NONBLOCK, 0);
    return syscall_result(fd);
  };
  const int fd = until_possible(ENXIO, open_now);
  if (fd < 0) return fd;
  struct stat pipe {};
  sys(SYS_fstat, fd, word(&pipe));
  if ((flags & O_ACCMODE) == O_RDONLY)
    until_possible(ENXIO, [&] {
      errno = ENXIO;
      return has_writer(pipe) || was_written(fd) ? 0 : -1;
    });
  sys(SYS_fcntl, fd, F_SETFL, flags & ~O_CREAT);
  return fd;
}

bool is_record_lock(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

int lock_record(int fd, int command, void* argument) {
  const bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
  const int attempt = command == F_SETLKW || command == F_SETLK ? F_SETLK : F_OFD_SETLK;
  const void* object = object_of_file(fd);
  const auto call = [&] { return LOCKSTEP_REAL(fcntl)(fd, attempt, argument); };
  if (static_cast<struct flock*>(argument)->l_type == F_UNLCK) {
    released(object);
    return change(call);
  }
  if (!waits_for_others()) return LOCKSTEP_REAL(fcntl)(fd, command, argument);
  return acquired(object, waits ? until_possible(EACCES, call) : change(call));
}

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int flock(int fd, int operation) noexcept {
  const void* object = object_of_file(fd);
  const bool unlocks = operation & LOCK_UN;
  if (unlocks) released(object);
  if (!waits_for_others() || operation & (LOCK_NB | LOCK_UN)) {
    const int result = change([&] { return LOCKSTEP_REAL(flock)(fd, operation); });
    return unlocks ? result : acquired(object, result);
  }
  return acquired(object, until_possible(EWOULDBLOCK, [&] { return LOCKSTEP_REAL(flock)(fd, operation | LOCK_NB); }));
}
#define LOCKSTEP_LOCKF(name, type)                                                         \
  LOCKSTEP_EXPORT int name(int fd, int command, type size) {                               \
    if (command != F_LOCK || !waits_for_others())                                          \
      return change([&] { return LOCKSTEP_REAL(name)(fd, command, size); });               \
    return until_possible(EACCES, [&] { return LOCKSTEP_REAL(name)(fd, F_TLOCK, size); }); \
  }
LOCKSTEP_LOCKF(lockf, off_t)
LOCKSTEP_LOCKF(lockf64, off64_t)

// --- System V ---
LOCKSTEP_EXPORT int semop(int set, sembuf* operations, size_t count) noexcept {
  constexpr size_t kMost = 64;
  if (!waits_for_others() || count > kMost) return change([&] { return LOCKSTEP_REAL(semop)(set, operations, count); });
  sembuf attempt[kMost];
  bool asks_at_once = false, gives = false;
  for (size_t i = 0; i < count; ++i) {
    asks_at_once |= operations[i].sem_flg & IPC_NOWAIT;
    gives |= operations[i].sem_op > 0;
    attempt[i] = operations[i];
    attempt[i].sem_flg = static_cast<short>(attempt[i].sem_flg | IPC_NOWAIT);
  }
  const auto call = [&] { return LOCKSTEP_REAL(semop)(set, attempt, count); };
  const void* object = object_of_id(set);
  if (gives) released(object);
  return acquired(object, asks_at_once ? change(call) : until_possible(EAGAIN, call));
}
LOCKSTEP_EXPORT int msgsnd(int queue, const void* message, size_t size, int flags) {
  released(object_of_id(queue));
  if (!waits_for_others() || flags & IPC_NOWAIT)
    return change([&] { return LOCKSTEP_REAL(msgsnd)(queue, message, size, flags); });
  return until_possible(EAGAIN, [&] { return LOCKSTEP_REAL(msgsnd)(queue, message, size, flags | IPC_NOWAIT); });
}
LOCKSTEP_EXPORT ssize_t msgrcv(int queue, void* message, size_t size, long type, int flags) {
  about_to_write(message, size + sizeof(long));
  const auto call = [&] { return LOCKSTEP_REAL(msgrcv)(queue, message, size, type, flags | IPC_NOWAIT); };
  if (!waits_for_others() && !(flags & IPC_NOWAIT)) return LOCKSTEP_REAL(msgrcv)(queue, message, size, type, flags);
  return acquired(object_of_id(queue), flags & IPC_NOWAIT ? change(call) : until_possible(ENOMSG, call));
}

// --- POSIX message queues ---
LOCKSTEP_EXPORT mqd_t mq_open(const char* name, int flags, ...) noexcept {
  va_list list;
  va_start(list, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  mq_attr* attributes = flags & O_CREAT ? va_arg(list, mq_attr*) : nullptr;
  va_end(list);
  if (controlled()) undo.opened(), undo.wrote_files();
  return change([&] { return LOCKSTEP_REAL(mq_open)(name, flags, mode, attributes); });
}
LOCKSTEP_EXPORT int mq_send(mqd_t queue, const char* message, size_t size, unsigned priority) {
  const auto call = [&] { return LOCKSTEP_REAL(mq_send)(queue, message, size, priority); };
  return controlled() ? on_queue(queue, POLLOUT, nullptr, call) : call();
}
LOCKSTEP_EXPORT int mq_timedsend(mqd_t queue, const char* message, size_t size, unsigned priority,
                                 const timespec* deadline) {
  if (!controlled()) return LOCKSTEP_REAL(mq_timedsend)(queue, message, size, priority, deadline);
  return on_queue(queue, POLLOUT, deadline, [&] { return LOCKSTEP_REAL(mq_send)(queue, message, size, priority); });
}
LOCKSTEP_EXPORT ssize_t mq_receive(mqd_t queue, char* out, size_t size, unsigned* priority) {
  about_to_write(out, size);
  about_to_write(priority, sizeof *priority);
  const auto call = [&] { return LOCKSTEP_REAL(mq_receive)(queue, out, size, priority); };
  return controlled() ? on_queue(queue, POLLIN, nullptr, call) : call();
}
LOCKSTEP_EXPORT ssize_t mq_timedreceive(mqd_t queue, char* out, size_t size, unsigned* priority,
                                        const timespec* deadline) {
  about_to_write(out, size);
  about_to_write(priority, sizeof *priority);
  if (!controlled()) return LOCKSTEP_REAL(mq_timedreceive)(queue, out, size, priority, deadline);
  return on_queue(queue, POLLIN, deadline, [&] { return LOCKSTEP_REAL(mq_receive)(queue, out, size, priority); });
}
