// Waiting for descriptors: what would block is "not enabled", and whatever a thread does to a descriptor may enable
// others. Descriptors keep their kernel objects; readiness is asked with poll(…, 0) when an I/O step has been done, so
// only the program's own threads can change it. Files and the like never block and are no steps.
#pragma once
#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "runtime/base/runtime.hpp"
#include "runtime/sched/state_call.hpp"

namespace lockstep::rt {

// What a blocked thread waits for: any of these to be ready. Lives on the waiting thread's stack.
struct Wanted {
  pollfd* fds;
  unsigned count;
  int epoll;  // or this epoll descriptor to have events
};

bool ready(const Wanted& wanted);
bool may_block(int fd);  // can this descriptor make its caller wait for another thread?
bool nonblocking(int fd);
inline bool concerned(int fd) { return controlled() && may_block(fd); }

// What is sent through a descriptor is an order between threads.
void sends(int fd);
void receives(int fd);  // -1: what poll finds ready

void wake_waiters();  // a descriptor may have become ready

// One I/O step, when it can be done. false: it timed out, or a signal ended it (errno is EINTR then).
bool arrive(const Wanted* wanted, uint8_t flags);

void note_error(int error);  // the call that is the running thread's last step failed

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
  if (result == -1) note_error(saved);
  receives(fd);
  wake_waiters();
  errno = saved;
  return result;
}

// One call on a stream of the C library, which reads and writes the descriptor by itself. On a file of the program it
// is a StateCall, because what is in the buffer is part of the file. On a pipe or socket it is a step that waits for
// input, if the buffer is empty and the call reads; otherwise the other end may see something new.
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
  int channel_;  // the descriptor, if it is a pipe or socket
  StateCall state_;
};

}  // namespace lockstep::rt
