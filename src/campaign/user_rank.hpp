// Ranks that a user supplies as a shared object (include/lockstep/rank.h). Each runs in a separate process, so that a
// crash of a rank does not end the search.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "search/ranks/rank.hpp"

namespace lockstep {

using RankFailures = std::vector<std::string>;  // one sentence for each

// If the rank fails during the search, `failures` gets a sentence and all alternatives rank equal from then on.
Result<std::unique_ptr<Rank>> load_user_rank(const std::string& path, std::shared_ptr<RankFailures> failures);

}  // namespace lockstep
