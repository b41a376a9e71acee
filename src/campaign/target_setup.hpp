// How a campaign starts the program: settings of the target from options.
#pragma once
#include <sched.h>

#include <memory>
#include <optional>

#include "campaign/campaign.hpp"

namespace lockstep {

TargetOptions target_options(const CampaignOptions& options, const Subject& subject, const StrategyOptions& strategy,
                             const Search& search, const std::shared_ptr<const Deadline>& deadline,
                             const SavedExploration* saved);
// Applies --trust and --preempt-in.
std::optional<Error> choose_code(Target& target, const CampaignOptions& options);
// The processors that this process was allowed to use at the first call.
const cpu_set_t& cpus_at_start();

}  // namespace lockstep
