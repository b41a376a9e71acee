// Strategy `best-first` over the execution tree (GAMBIT: Coons, Burckhardt & Musuvathi 2010): runs each execution of
// depth-first search within a preemption bound once, in the order of the ranks.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"
#include "search/ranks/rank_registry.hpp"

namespace lockstep {

struct BestFirstOptions {
  std::optional<uint32_t> preemptions;  // bound on the preemptions of an execution; none: unbounded
  uint32_t max_steps = kNoStepLimit;
  std::optional<uint32_t> variables{};  // bound on the variables at whose accesses preemptions happen
  bool reduce = false;                  // one order of independent operations only (requires no bound)
  bool sleep_sets = true;               // with `reduce`: false: some orders are run several times
  uint32_t window = ~0u;                // limit of executions in flight; 1: always the lowest known rank
};

std::unique_ptr<Search> make_best_first(const BestFirstOptions& options, Ranks ranks);

}  // namespace lockstep
