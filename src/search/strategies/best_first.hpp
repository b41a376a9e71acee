// Best-first search over the execution tree (GAMBIT, Coons, Musuvathi & McKinley 2010): the executions of depth-first
// search within a preemption bound, each once, in the order of the ranks.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"
#include "search/ranks/rank_registry.hpp"

namespace lockstep {

struct BestFirstOptions {
  std::optional<uint32_t> preemptions;  // most preemptions of an execution; none: unbounded
  uint32_t max_steps = kNoStepLimit;
  std::optional<uint32_t> variables{};  // most variables at whose accesses preemptions happen
  bool reduce = false;                  // only one order of independent operations (needs: no bound)
  bool sleep_sets = true;               // with `reduce`: off, some orders are run several times
  uint32_t window = ~0u;                // most executions under way; 1: always the lowest rank of all that is known
};

std::unique_ptr<Search> make_best_first(const BestFirstOptions& options, Ranks ranks);

}  // namespace lockstep
