// Rank `ss`: decisions whose thread is in the sleep set (Godefroid 1996) go last, because what they lead to is
// equivalent to something that has another, earlier sibling. Pruning them would be wrong under a preemption bound;
// deferring them is not.
#pragma once
#include <vector>

#include "search/ranks/rank.hpp"

namespace lockstep {

class SleepRank final : public Rank {
 public:
  void look(const ExecutionView& execution) override;
  uint64_t of(const ExecutionView& execution, const Alternative& a) override;

 private:
  // Who is asleep from a step on; a new entry wherever that changes.
  struct Change {
    uint32_t step;
    std::vector<ThreadId> asleep;
  };
  std::vector<Change> changes_;  // ascending
};

}  // namespace lockstep
