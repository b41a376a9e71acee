// An alternative: a decision that an execution did not take, and the cost of the execution that takes it, up to there.
#pragma once
#include <cstdint>

namespace lockstep {

struct Alternative {
  uint32_t step;
  uint16_t value;
  uint32_t cost;
};

inline uint64_t rank_by_cost(const Alternative& a) { return a.cost; }

}  // namespace lockstep
