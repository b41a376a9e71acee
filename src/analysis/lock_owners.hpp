// The holders of each lock and the waiters of each condition, updated step by step along a trace.
#pragma once
#include <map>
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

class LockOwners {
 public:
  void apply(const Step& step);

  bool waits_for_signal(ThreadId t) const { return waiting_.contains(t); }
  bool anyone_waits_for(ObjectId condition) const;
  std::vector<ThreadId> holders(ObjectId object) const;  // ascending, without repetition
  std::vector<ObjectId> held_by(ThreadId t) const;       // ascending

 private:
  void take(ObjectId object, ThreadId t) { ++held_[object][t]; }
  void give(ObjectId object, ThreadId t);

  std::map<ObjectId, std::map<ThreadId, int>> held_;  // number of times: a reader may hold its lock more than once
  std::map<ThreadId, ObjectId> waiting_;              // in a condition wait and not woken yet
};

}  // namespace lockstep
