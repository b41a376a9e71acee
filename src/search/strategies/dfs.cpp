#include "search/strategies/dfs.hpp"

#include "search/tree/tree_search.hpp"

namespace lockstep {

std::unique_ptr<Search> make_dfs(const DfsOptions& options) {
  TreeSearchParts parts;
  parts.max_steps = options.max_steps;
  parts.bound = options.preemptions;
  parts.variables = options.variables;
  return std::make_unique<TreeSearch>(std::move(parts));
}

}  // namespace lockstep
