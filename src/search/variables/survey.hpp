// Which variables threads share, learned from executions: what at least two threads access and one of them writes. An
// address is a name: it is the same in every execution. Locks and other synchronisation objects are variables too.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"
#include "search/state.hpp"

namespace lockstep {

class VariableSurvey {
 public:
  // Executions under Policy::Blocks with kBlocksConflict tell plain accesses, others only visible operations.
  void look(TraceView trace);

  // Data comes before locks and the like, which everybody uses and which are seldom wrong; then what most threads share:
  // what main hands to one of them is used by two. Otherwise in the order in which they were first seen to be shared.
  // Called once, when there is nothing more to look at.
  void settle();
  const std::vector<TrackedRange>& shared() const { return shared_; }
  unsigned threads() const { return threads_; }  // one above the largest name seen

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Known {
    uint64_t size;
    std::set<ThreadId> threads;
    bool data, written, told;
  };
  void note(uint64_t address, uint64_t size, ThreadId thread, bool write, bool data);

  std::map<uint64_t, Known> known_;
  std::vector<TrackedRange> shared_;
  unsigned threads_ = 1;
};

}  // namespace lockstep
