// Builds dfs, icb and chess from a tree search.
#include "search/strategies/bounded.hpp"

#include "search/tree/tree_search.hpp"

namespace lockstep {
namespace {

TreeSearchParts parts_of(const BoundedOptions& options, bool cache = false) {
  TreeSearchParts parts;
  parts.max_steps = options.max_steps;
  parts.bound = options.preemptions;
  parts.variables = options.variables;
  parts.depth = options.depth;
  // chess is not divided into units: workers do not share their visited states and would repeat most of the work.
  if (options.divided && !cache) {
    parts.unit_executions = kUnitExecutions;
    parts.window = kUnitWindow;
  }
  return parts;
}

std::unique_ptr<Search> by_preemptions(const BoundedOptions& options, bool cache) {
  TreeSearchParts parts = parts_of(options, cache);
  parts.rank = [size = options.csb + 1](const Alternative& a) { return a.cost / size; };
  parts.level_by_level = true;
  parts.level_size = options.csb + 1;
  parts.cache = cache;
  return std::make_unique<TreeSearch>(std::move(parts));
}

}  // namespace

std::unique_ptr<Search> make_dfs(const BoundedOptions& options) {
  return std::make_unique<TreeSearch>(parts_of(options));
}
std::unique_ptr<Search> make_icb(const BoundedOptions& options) { return by_preemptions(options, false); }
std::unique_ptr<Search> make_chess(const BoundedOptions& options) { return by_preemptions(options, true); }

}  // namespace lockstep
