// Livelocks: executions that never end, although threads can run.
//
// If only spin loops are left, and nothing has changed after each ran another round, no thread will ever leave its loop
// (Scheduler::choose_among_spinners). Other loops change memory: they try locks and release them, or write the same
// values again. CycleSearch finds these: the default schedule is fair and deterministic, so an execution that follows
// it and returns to an earlier state repeats itself forever (docs/decisions/0015-livelocks.md).
#pragma once
#include "runtime/base/system.hpp"
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

class Scheduler;

bool try_spinners_again();  // lets every spinner run one more round; false if there are none

// Looks for a repeated state at yields: an execution that does not end yields any number of times. The distance between
// the windows in which it looks doubles, so that long executions pay little.
class CycleSearch {
 public:
  bool captures() const { return captures_; }  // threads that are switched out store their registers and stack
  static void capture(Thread& me);
  // The running thread has yielded: has the program returned to the state of an earlier yield?
  bool yielded(const Scheduler& s);
  uint32_t since() const { return record_; }  // number of records at the first occurrence of the state

 private:
  uint32_t yields_ = 0;
  bool captures_ = false, anchored_ = false;
  ThreadId thread_ = kNoThread;
  uint64_t local_ = 0, state_ = 0;
  uint32_t record_ = 0;
};

}  // namespace lockstep::rt
