// Which variables threads share, learned from executions: what at least two threads access and one of them writes. An
// address is a name: it is the same in every execution. Locks and other synchronisation objects are variables too.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"

namespace lockstep {

class VariableSurvey {
 public:
  // Executions under Policy::Blocks with kBlocksConflict tell plain accesses, others only visible operations.
  void look(TraceView trace);

  // In the order in which they were first seen to be shared, so that what comes later does not change what is chosen.
  const std::vector<TrackedRange>& shared() const { return shared_; }
  unsigned threads() const { return threads_; }  // one above the largest name seen

 private:
  struct Known {
    uint64_t size;
    ThreadId first;
    bool written, several, told;
  };
  void note(uint64_t address, uint64_t size, ThreadId thread, bool write);

  std::map<uint64_t, Known> known_;
  std::vector<TrackedRange> shared_;
  unsigned threads_ = 1;
};

}  // namespace lockstep
