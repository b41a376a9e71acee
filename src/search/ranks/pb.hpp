// Rank `pb` (preemption bounding, GAMBIT: Coons, Burckhardt & Musuvathi 2010): fewest preemptions first, which makes
// best-first search iterative context bounding.
#pragma once
#include "search/ranks/rank.hpp"

namespace lockstep {

class PreemptionRank final : public Rank {
 public:
  uint64_t of(const ExecutionView&, const Alternative& a) override { return a.cost; }
};

}  // namespace lockstep
