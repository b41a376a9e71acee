// Strategy `dpor`, dynamic partial order reduction as first published (Flanagan & Godefroid 2005), with or without
// sleep sets: runs every trace, many of them several times. For comparison.
#pragma once
#include <cstdint>
#include <memory>

#include "search/base/strategy.hpp"

namespace lockstep {

struct DporOptions {
  uint32_t max_steps = kNoStepLimit;
  bool sleep_sets = false;
  // Planted mistake, for tests: the thread that the rule picks need not be an initial of the reversed sequence. If that
  // thread sleeps, the reversal is lost.
  bool picks_sleepers = false;
};

std::unique_ptr<Search> make_dpor(const DporOptions& options);

}  // namespace lockstep
