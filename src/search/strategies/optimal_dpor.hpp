// Optimal dynamic partial order reduction with wakeup trees (Abdulla, Aronis, Jonsson & Sagonas 2014): every trace
// exactly once, and no execution begun in vain.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"

namespace lockstep {

struct OptimalDporOptions {
  std::optional<uint32_t> preemptions;  // of the cheapest execution of a trace; none: all traces
  uint32_t max_steps = kNoStepLimit;
  bool observed_labels = false;  // wrong: see DporParts
  bool overlooks = false;        // likewise
  unsigned lanes = 1;            // see DporParts; not within a bound
  bool for_one_worker = false;   // likewise
  uint64_t before_lanes = 1000;
  bool forget_guided = false;  // wrong: see DporParts
};

std::unique_ptr<Search> make_optimal_dpor(const OptimalDporOptions& options);

}  // namespace lockstep
