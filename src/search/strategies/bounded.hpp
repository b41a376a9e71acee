// Strategies dfs, icb and chess: exhaustive searches over the execution tree, bounded or unbounded.
// * dfs: depth-first search.
// * icb: iterative context bounding (Musuvathi & Qadeer 2007): all executions without a preemption, then all with
//   one... The first bug it finds has the fewest preemptions possible. With csb, each phase has several numbers of
//   preemptions, and is searched depth-first.
// * chess: icb that explores no state twice (happens-before state caching, Musuvathi et al. 2008).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"

namespace lockstep {

struct BoundedOptions {
  std::optional<uint32_t> preemptions;  // of an execution; none: unbounded
  uint32_t max_steps = kNoStepLimit;
  std::optional<uint32_t> variables{};  // bound on the variables at whose accesses an execution is preempted
  std::optional<uint32_t> depth{};      // for dfs: departs from the default schedule only in its first `depth` steps
  uint32_t csb = 0;                     // for icb: additional numbers of preemptions per phase
  bool divided = false;                 // for dfs and icb: explored in units; see search/base/division.hpp
};

std::unique_ptr<Search> make_dfs(const BoundedOptions& options);
std::unique_ptr<Search> make_icb(const BoundedOptions& options);
std::unique_ptr<Search> make_chess(const BoundedOptions& options);

}  // namespace lockstep
