// Strategy `bpor`, bounded partial order reduction (Coons, Musuvathi & McKinley 2013): runs every trace that has an
// execution within the preemption bound, with fewer executions than iterative context bounding as long as the bound is
// small.
#pragma once
#include <cstdint>
#include <memory>

#include "search/base/strategy.hpp"

namespace lockstep {

struct BporOptions {
  uint32_t preemptions = 2;
  uint32_t max_steps = kNoStepLimit;
  // Planted mistakes, for tests.
  bool conservative = true;  // false: no points at the beginnings of blocks
  bool sleep_sets = false;   // true: a sleeping thread may be the only one left within the bound
};

std::unique_ptr<Search> make_bpor(const BporOptions& options);

}  // namespace lockstep
