// Waiting for descriptors. An operation that would block is not enabled, and each operation on a descriptor may enable
// other threads. Descriptors keep their kernel objects; poll(…, 0) tests readiness after each I/O step, so only the
// program's own threads can change it. Files and the like never block, and operations on them are not I/O steps.
#pragma once
#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "runtime/base/runtime.hpp"
#include "runtime/sched/state_call.hpp"

namespace lockstep::rt {

// The descriptors that a blocked thread waits for: any of these must be ready. Stored on the waiting thread's stack.
struct Wanted {
  pollfd* fds;
  unsigned count;
  int epoll;  // or this epoll descriptor, to have events
};

bool ready(const Wanted& wanted);
bool may_block(int fd);  // whether this descriptor can make its caller wait for another thread
bool nonblocking(int fd);
inline bool concerned(int fd) { return controlled() && may_block(fd); }

// Data sent through a descriptor orders threads.
void sends(int fd);
void receives(int fd);  // -1: a descriptor that poll reports as ready

void wake_waiters();  // call when a descriptor may have become ready

// Executes one I/O step, when it is possible. false: it timed out, or a signal ended it (errno is EINTR then).
bool arrive(const Wanted* wanted, uint8_t flags);

void note_error(int error);  // the running thread's last step was a call that failed

// Runs `call` as a step that waits until `fd` is ready for `events`.
template <class F>
auto step_on(int fd, short events, bool blocks, F&& call) {
  pollfd p{fd, events, 0};
  const Wanted wanted{&p, 1, -1};
  while (!arrive(blocks ? &wanted : nullptr, 0))
    if (!self().restarts) return decltype(call())(-1);
  sends(fd);  // for reads too: they make room for other threads' writes
  const auto result = call();
  const int saved = errno;
  if (result == -1) note_error(saved);
  receives(fd);
  wake_waiters();
  errno = saved;
  return result;
}

// One call on a stream of the C library, which reads and writes the descriptor itself. On a file of the program it is a
// StateCall, because the buffer is part of the file. On a pipe or socket it is an I/O step. The step waits for input if
// the call reads and the buffer is empty; otherwise the other end may see new data.
class StreamCall {
 public:
  StreamCall(FILE* stream, Use use);
  template <class T>
  T done(T result) const {
    if (UNLIKELY(channel_ >= 0)) finish();
    return state_.done_without_error(result);
  }

 private:
  void finish() const;
  int channel_;  // the descriptor of a pipe or socket; otherwise -1
  StateCall state_;
};

}  // namespace lockstep::rt
