// Depth-first search over all decisions, optionally within a preemption bound.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"

namespace lockstep {

struct DfsOptions {
  std::optional<uint32_t> preemptions;  // most preemptions of an execution; none: unbounded
  uint32_t max_steps = 1'000'000;
  std::optional<uint32_t> variables{};  // preemptions happen at accesses to so many variables at most
};

std::unique_ptr<Search> make_dfs(const DfsOptions& options);

}  // namespace lockstep
