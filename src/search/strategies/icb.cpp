#include "search/strategies/icb.hpp"

#include "search/tree/tree_search.hpp"

namespace lockstep {

std::unique_ptr<Search> make_icb(const IcbOptions& options) {
  TreeSearchParts parts;
  parts.max_steps = options.max_steps;
  parts.bound = options.preemptions;
  parts.variables = options.variables;
  parts.rank = [](const Alternative& a) -> uint64_t { return a.cost; };
  parts.level_by_level = true;
  return std::make_unique<TreeSearch>(std::move(parts));
}

}  // namespace lockstep
