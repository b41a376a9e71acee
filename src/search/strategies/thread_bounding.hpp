// Strategies icb and chess within a thread bound (VT-CHESS: Bindal, Bansal & Lal 2013, section 6): orders of a few
// threads with a few preemptions at any scheduling point.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"

namespace lockstep {

struct ThreadBoundingOptions {
  std::optional<uint32_t> preemptions;  // none: raise the number step by step
  unsigned threads = 2;
  bool cache = false;  // cache states, as chess does
  double epsilon = 0.01;
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
};

std::unique_ptr<Search> make_thread_bounding(const ThreadBoundingOptions& options);

}  // namespace lockstep
