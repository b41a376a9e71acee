#pragma once
#include <stdio.h>

#include "runtime/sched/state_call.hpp"

namespace lockstep::rt {

bool outside_helps();  // see SchedulerClient

// One call on a stream of the C library, which reads and writes the descriptor by itself. On a file of the program it
// is a StateCall, because what is in the buffer is part of the file. On a pipe or socket it is a step that waits for
// input, if the buffer is empty and the call reads; otherwise the other end may see something new.
class StreamCall {
 public:
  StreamCall(FILE* stream, Use use);
  template <class T>
  T done(T result) const {
    if (UNLIKELY(channel_ >= 0)) finish();
    return state_.done(result);
  }

 private:
  void finish() const;
  int channel_;  // the descriptor, if it is a pipe or socket
  StateCall state_;
};

}  // namespace lockstep::rt
