// Executions that never end, although threads can run.
//
// If only spin loops are left, and nothing has changed after each went round once more, nobody will ever leave its loop
// (Scheduler::choose_among_spinners). Other loops change memory: they try locks and release them, or write the same
// values again. Those come to an end as CycleSearch finds: the default schedule is fair and deterministic, so an
// execution that follows it and comes back to a state it has been in repeats itself for ever
// (docs/decisions/0015-livelocks.md).
#pragma once
#include "runtime/base/system.hpp"
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

class Scheduler;

bool try_spinners_again();  // lets all of them go round once more; false if there are none

// Looks for a state that comes back, at yields: every execution that does not end has any number of them. Between the
// windows in which it looks, the number of yields doubles, so that long executions pay little for it.
class CycleSearch {
 public:
  bool captures() const { return captures_; }  // who is switched out notes its registers and stack
  static void capture(Thread& me);
  // The running thread has yielded: is the state of the program that of an earlier yield?
  bool yielded(const Scheduler& s);
  uint32_t since() const { return record_; }  // records when it was seen first

 private:
  uint32_t yields_ = 0;
  bool captures_ = false, anchored_ = false;
  ThreadId thread_ = kNoThread;
  uint64_t local_ = 0, state_ = 0;
  uint32_t record_ = 0;
};

}  // namespace lockstep::rt
