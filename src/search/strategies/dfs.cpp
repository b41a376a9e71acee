#include "search/strategies/dfs.hpp"

#include "search/tree_search.hpp"

namespace lockstep {

std::unique_ptr<Strategy> make_dfs(const DfsOptions& options) {
  return std::make_unique<TreeSearch>(TreeSearchParts{.max_steps = options.max_steps,
                                                      .bound = options.preemptions,
                                                      .rank = {},
                                                      .level_by_level = false,
                                                      .cost = {},
                                                      .expand_own_step = false});
}

}  // namespace lockstep
