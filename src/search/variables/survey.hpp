// Which variables threads share, learned from executions: what at least two threads access and one of them writes.
// Locks and other synchronisation objects are variables too.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "model/plan.hpp"
#include "model/variable.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

struct SharedVariable {
  VariableId id;
  std::vector<TrackedRange> where;  // in the order seen; more than one if it is of the heap and was moved
  bool contains(uint64_t address) const {
    return std::any_of(where.begin(), where.end(), [&](const TrackedRange& r) { return r.contains(address); });
  }
};

class VariableSurvey {
 public:
  // Executions under Policy::Blocks with kBlocksConflict tell plain accesses, others only visible operations. Those
  // with Plan::origins tell variables of the heap apart, whatever their addresses.
  void look(TraceView trace);

  // By iteration of the loop that allocated them: those of the first say most about the others. Data comes before locks
  // and the like, which everybody uses and which are seldom wrong; then what most threads share: what main hands to one
  // of them is used by two. Otherwise in the order in which they were first seen to be shared. Called once, when there
  // is nothing more to look at.
  void settle();
  const std::vector<SharedVariable>& shared() const { return shared_; }
  unsigned threads() const { return threads_; }  // one above the largest name seen

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Known {
    std::vector<TrackedRange> where;
    std::set<ThreadId> threads;
    bool data, written;
    size_t number;  // among the shared ones; kNone: it is not shared so far
  };
  static constexpr size_t kNone = ~size_t{0};
  void note(uint64_t address, uint64_t size, ThreadId thread, bool write, bool data);

  HeapBlocks blocks_;  // of the execution looked at
  std::map<VariableId, Known> known_;
  std::vector<SharedVariable> shared_;
  unsigned threads_ = 1;
};

}  // namespace lockstep
