// Strategy `source-dpor`, dynamic partial order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson &
// Sagonas 2014): runs every trace once. A few executions turn out redundant and are cut short.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"
#include "search/dpor/divided_dpor.hpp"

namespace lockstep {

struct SourceDporOptions {
  std::optional<uint32_t> preemptions{};  // bound on the cost of a trace; none: all traces
  uint32_t max_steps = kNoStepLimit;
  int slack = -1;                          // the sound value; tests show that less is noticed
  std::optional<dpor::DporOrder> order{};  // none: depth-first
  unsigned lanes = 1;                      // see DporParts; not used within a bound
  bool for_one_worker = false;             // see DporParts
  bool sleep_sets = true;
  uint32_t window = ~0u;                          // limit of executions in flight
  bool all_siblings_sleep = false;                // planted mistake, for tests
  std::optional<dpor::DivisionSizes> division{};  // explored in units; not used within a bound
};

std::unique_ptr<Search> make_source_dpor(const SourceDporOptions& options);

// The search that these parts make, explored in units by source sets if there are `sizes` and no bound.
std::unique_ptr<Search> dpor_in_units(dpor::DporParts parts, const std::optional<dpor::DivisionSizes>& sizes);

}  // namespace lockstep
