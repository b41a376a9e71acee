// How the program is started for a campaign.
#pragma once
#include <sched.h>

#include <memory>
#include <optional>

#include "campaign/campaign.hpp"

namespace lockstep {

TargetOptions target_options(const CampaignOptions& options, const Subject& subject, const StrategyOptions& strategy,
                             const Search& search, const std::shared_ptr<const Deadline>& deadline,
                             const SavedExploration* saved);
// --trust and --preempt-in
std::optional<Error> choose_code(Target& target, const CampaignOptions& options);
// Where this process was allowed to run when this was first called.
const cpu_set_t& cpus_at_start();

}  // namespace lockstep
