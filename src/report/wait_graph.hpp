// Who waits for what, and who could let them go on: lock owners followed through a trace.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "report/trace_names.hpp"

namespace lockstep {

// Owners of locks and waiters of condition variables after the steps applied so far.
class LockOwners {
 public:
  void apply(const Step& step);
  // Threads that keep `op` from running: owners of its lock, the thread it joins. Empty: it waits to be woken.
  std::vector<ThreadId> blockers(const Step& op) const;
  bool waits_for_signal(ThreadId t) const { return waiting_.contains(t); }

 private:
  void acquire(ObjectId object, ThreadId t) { ++owners_[object][t]; }
  void release(ObjectId object, ThreadId t);
  std::map<ObjectId, std::map<ThreadId, int>> owners_;  // with the depth of recursive locks
  std::map<ThreadId, ObjectId> waiting_;                // on this condition variable, not yet signalled
};

struct Wait {
  ThreadId thread;
  size_t pending;  // index into the trace's pending operations
  std::vector<ThreadId> blockers;
};

// Everything blocked at the end of the trace, ascending by thread.
std::vector<Wait> waits_at_end(TraceView trace);

// A cycle among them, in order: each waits for the next, the last for the first. Empty if there is none.
std::vector<Wait> find_cycle(const std::vector<Wait>& waits);

// What somebody waits for, in words: "accounts[1]", "a signal on ready", "worker 1 to end".
std::string waited_for(const Step& op, bool for_signal, const TraceNames& names);

// "worker 1 waits for accounts[1] held by worker 2, worker 2 waits for accounts[0] held by worker 1".
std::string describe_waits(const TraceNames& names);

}  // namespace lockstep
