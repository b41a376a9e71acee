// Strategy `delay`, delay bounding (Emmi, Qadeer & Rakamaric 2011): threads take turns without preemption; a delay
// passes over the thread whose turn it is. The number of schedules within a bound does not depend on the number of
// threads.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"

namespace lockstep {

struct DelayOptions {
  std::optional<uint32_t> bound;  // bound on the delays of an execution; none: raise it until nothing is left
  uint32_t max_steps = kNoStepLimit;
};

std::unique_ptr<Search> make_delay(const DelayOptions& options);

}  // namespace lockstep
