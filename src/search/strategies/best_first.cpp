// Builds best-first search from a tree search and ranks, with or without reduction.
#include "search/strategies/best_first.hpp"

#include <algorithm>
#include <utility>

#include "search/strategies/source_dpor.hpp"

namespace lockstep {
namespace {

// Hierarchical: 16 bits for each rank, the first in the highest bits.
struct Ranking {
  Ranks ranks;
  ExecutionView execution;

  void look(TraceView trace, std::span<const Delta> deltas) {
    execution.look(trace, deltas);
    for (const auto& rank : ranks) rank->look(execution);
  }
  uint64_t of(const Alternative& alternative) {
    uint64_t key = 0;
    for (const auto& rank : ranks) key = key << 16 | std::min<uint64_t>(rank->of(execution, alternative), kHighestRank);
    return key;
  }
};

}  // namespace

std::unique_ptr<Search> make_best_first(const BestFirstOptions& options, Ranks ranks) {
  const bool stacks = std::any_of(ranks.begin(), ranks.end(), [](const auto& rank) { return rank->needs_stacks(); });
  const bool step_by_step =
      std::any_of(ranks.begin(), ranks.end(), [](const auto& rank) { return rank->follows_what_is_learned(); });
  auto ranking = std::make_shared<Ranking>(Ranking{std::move(ranks), {}});
  if (options.reduce) {
    SourceDporOptions reduced;
    reduced.max_steps = options.max_steps;
    reduced.sleep_sets = options.sleep_sets;
    reduced.window = options.window;
    reduced.order = dpor::DporOrder{
        .look = [ranking](TraceView trace, std::span<const Delta> deltas) { ranking->look(trace, deltas); },
        .rank = [ranking](const Alternative& a) { return ranking->of(a); },
        .stacks = stacks};
    return make_source_dpor(reduced);
  }
  return std::make_unique<TreeSearch>(TreeSearchParts{
      .max_steps = options.max_steps,
      .bound = options.preemptions,
      .rank = [ranking](const Alternative& a) { return ranking->of(a); },
      .look = [ranking](TraceView trace, std::span<const Delta> deltas) { ranking->look(trace, deltas); },
      .stacks = stacks,
      .level_by_level = false,
      .step_by_step = step_by_step,
      .window = options.window,
      .cost = {},
      .variables = options.variables,
      .expand_own_step = false});
}

}  // namespace lockstep
