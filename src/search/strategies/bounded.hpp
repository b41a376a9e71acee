// Exhaustive searches over the execution tree, within bounds or without:
// * dfs: depth-first.
// * icb: iterative context bounding (Musuvathi & Qadeer 2007), all executions without a preemption, then all with
//   one... The first bug it finds has the fewest preemptions possible. Its phases may be larger: csb more preemptions
//   each, depth-first inside.
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
  std::optional<uint32_t> variables{};  // at whose accesses an execution may be preempted
  std::optional<uint32_t> depth{};      // dfs: deviates from the default schedule only in its first `depth` steps
  uint32_t csb = 0;                     // icb
  bool divided = false;                 // dfs and icb: in units; see search/base/division.hpp
};

std::unique_ptr<Search> make_dfs(const BoundedOptions& options);
std::unique_ptr<Search> make_icb(const BoundedOptions& options);
std::unique_ptr<Search> make_chess(const BoundedOptions& options);

}  // namespace lockstep
