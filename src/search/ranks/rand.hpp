// Rank `rand`: random order, fixed by the seed. It is computed from the schedule, so it does not depend on when an
// execution was discovered.
#pragma once
#include "search/base/seeds.hpp"
#include "search/ranks/rank.hpp"

namespace lockstep {

class RandomRank final : public Rank {
 public:
  explicit RandomRank(uint64_t seed) : seed_(seed) {}

  void look(const ExecutionView& execution) override {
    path_ = seed_;
    for (const Delta& d : execution.deltas()) path_ = mix(path_, d.step, d.value);
  }
  uint64_t of(const ExecutionView&, const Alternative& a) override { return mix(path_, a.step, a.value) >> 48; }

 private:
  static uint64_t mix(uint64_t state, uint32_t step, uint16_t value) {
    return seed_of(state ^ (uint64_t{step} << 16 | value), 0);
  }
  uint64_t seed_, path_ = 0;
};

}  // namespace lockstep
