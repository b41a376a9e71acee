// Strategy `optimal-dpor`, optimal dynamic partial order reduction with wakeup trees (Abdulla, Aronis, Jonsson &
// Sagonas 2014): runs every trace exactly once, and no redundant execution, unless it is divided into units.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"
#include "search/dpor/divided_dpor.hpp"

namespace lockstep {

struct OptimalDporOptions {
  std::optional<uint32_t> preemptions;  // bound on the cost of a trace; none: all traces
  uint32_t max_steps = kNoStepLimit;
  bool observed_labels = false;  // planted mistake: see dpor::Mistakes
  bool overlooks = false;        // planted mistake: see dpor::Mistakes
  unsigned lanes = 1;            // see DporParts; not used within a bound
  bool for_one_worker = false;   // see DporParts
  uint64_t before_lanes = 1000;
  bool forget_guided = false;  // planted mistake: see dpor::Mistakes
  // Explored in units, by source sets: then executions may be redundant. Not used within a bound.
  std::optional<dpor::DivisionSizes> division{};
};

std::unique_ptr<Search> make_optimal_dpor(const OptimalDporOptions& options);

}  // namespace lockstep
