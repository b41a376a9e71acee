// Iterative context bounding (Musuvathi & Qadeer 2007): all executions without a preemption, then all with one...
// The first bug it meets has the fewest preemptions possible.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"

namespace lockstep {

struct IcbOptions {
  std::optional<uint32_t> preemptions;  // last bound to explore; none: go on until nothing is left
  uint32_t max_steps = 1'000'000;
  std::optional<uint32_t> variables{};  // preemptions happen at accesses to so many variables at most
};

std::unique_ptr<Search> make_icb(const IcbOptions& options);

}  // namespace lockstep
