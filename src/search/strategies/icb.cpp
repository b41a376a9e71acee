#include "search/strategies/icb.hpp"

#include "search/tree_search.hpp"

namespace lockstep {

std::unique_ptr<Strategy> make_icb(const IcbOptions& options) {
  return std::make_unique<TreeSearch>(
      TreeSearchParts{.max_steps = options.max_steps,
                      .bound = options.preemptions,
                      .rank = [](const Alternative& a) -> uint64_t { return a.cost; },
                      .level_by_level = true,
                      .cost = {},
                      .expand_own_step = false});
}

}  // namespace lockstep
