// Simplifies a finding: the simplest schedule found that shows the same bug.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/analysis.hpp"
#include "search/minimize/shrink.hpp"

namespace lockstep {

// Finds the same bug with every access to `racy` memory as a scheduling point. Which accesses race was known only after
// the execution that showed the bug, so its schedule need not show where threads were preempted. nullopt: not found.
std::optional<Finding> find_with_points(Executor& executor, std::span<Analysis* const> analyses, const Finding& finding,
                                        const std::function<std::optional<Finding>(Finding)>& confirm,
                                        const std::vector<TrackedRange>& racy, const ShrinkBudget& budget);

// `finding` is confirmed; `confirm` replays another plan with stacks and completes its finding. The same bug has the
// same kind and the same fingerprint. Executions run here are not counted; the finding keeps its execution number.
Finding simplify(Executor& executor, std::span<Analysis* const> analyses, const Finding& finding,
                 const std::function<std::optional<Finding>(Finding)>& confirm, std::optional<uint32_t> proved = {},
                 const ShrinkBudget& budget = {});

// Why the finding's schedule fails; see search/minimize/cause.hpp.
Cause cause_of(Executor& executor, std::span<Analysis* const> analyses, const Finding& finding,
               const std::function<std::optional<Finding>(Finding)>& confirm, const ShrinkBudget& budget);

}  // namespace lockstep
