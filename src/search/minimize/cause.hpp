// Why a schedule fails: each order of two conflicting steps that could have been otherwise is reversed, and the program
// is run. An order that the failure does not survive is part of the cause.
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
