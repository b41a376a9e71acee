// Rank `ss` (sleep sets: Godefroid 1996; as a rank in GAMBIT: Coons, Burckhardt & Musuvathi 2010): decisions whose
// thread is in the sleep set go last, because an earlier sibling leads to an equivalent execution. Pruning them would
// be wrong under a preemption bound; deferring them is not.
#pragma once
#include <vector>

#include "search/ranks/rank.hpp"

namespace lockstep {

class SleepRank final : public Rank {
 public:
  void look(const ExecutionView& execution) override;
  uint64_t of(const ExecutionView& execution, const Alternative& a) override;

 private:
  // The threads asleep from a step on; a new entry wherever the set changes.
  struct Change {
    uint32_t step;
    std::vector<ThreadId> asleep;
  };
  std::vector<Change> changes_;  // ascending
};

}  // namespace lockstep
