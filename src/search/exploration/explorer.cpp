// Runs the loop of an exploration.
#include "search/exploration/explorer.hpp"

#include <utility>

#include "search/exploration/exploration_loop.hpp"

namespace lockstep {

Explorer::Explorer(Search& search, Executor& executor, std::span<Analysis* const> analyses, Budget budget,
                   bool keep_going, ExplorerHooks hooks)
    : search_(search),
      executor_(executor),
      analyses_(analyses),
      budget_(budget),
      keep_going_(keep_going),
      hooks_(std::move(hooks)) {}

Exploration Explorer::run() {
  ExplorationLoop loop(search_, executor_, analyses_, budget_, keep_going_, hooks_);
  if (!state_.empty() && !loop.load(state_)) {
    Exploration refused;
    refused.refused = true;
    return refused;
  }
  return loop.explore();
}

}  // namespace lockstep
