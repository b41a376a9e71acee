// Derives settings of a campaign from its options.
#include "campaign/options.hpp"

namespace lockstep {

// False if a race would neither be reported nor become a scheduling point.
bool CampaignOptions::looks_for_races() const {
  return races || points == Points::Auto || points >= Points::Racy || watches_memory(strategy.spec);
}

Budget budget_of(const CampaignOptions& options, const Search& search) {
  Budget budget{options.executions, options.time, options.memory_budget};
  if (options.executions || options.time) return budget;
  if (options.strategy_name() == "auto")
    budget.time = std::chrono::seconds(60);
  else if (search.claim().scope == Scope::Sample)
    budget.executions = 100'000;
  return budget;
}

}  // namespace lockstep
