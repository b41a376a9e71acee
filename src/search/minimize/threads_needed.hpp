// The number of threads between which the order matters for a failure (t of Bindal, Bansal & Lal 2013, section 4).
// Found by trying: the smallest set of threads whose order alone causes the failure, wherever all others come.
#pragma once
#include <cstdint>
#include <optional>

#include "model/executor.hpp"
#include "search/minimize/shrink.hpp"

namespace lockstep {

// For a failure without preemptions, which is an order of whole threads. Main creates the others and keeps its place.
// nullopt: cannot be determined this way, or not within the budget.
std::optional<uint32_t> threads_needed(Executor& executor, TraceView failing, uint32_t max_steps,
                                       const SameFailure& same, const ShrinkBudget& budget);

}  // namespace lockstep
