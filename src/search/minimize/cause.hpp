// Finds out why a schedule fails: reverses each order of two conflicting steps that can be reversed and runs the
// program. An order without which the failure does not show is part of the cause. If there is none, it looks for a
// switch between threads without which the failure does not show.
#pragma once
#include <cstdint>

#include "analysis/finding.hpp"
#include "model/executor.hpp"
#include "search/minimize/shrink.hpp"

namespace lockstep {

// `failing` is an execution that fails. Orders that follow from others of the cause are left out.
Cause find_cause(Executor& executor, TraceView failing, uint32_t max_steps, const SameFailure& same,
                 const ShrinkBudget& budget);

}  // namespace lockstep
