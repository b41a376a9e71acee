// Ranks that a user brings as a shared object (include/lockstep/rank.h). Each runs in a process of its own, so that its
// crash is its own.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "search/ranks/rank.hpp"

namespace lockstep {

using RankFailures = std::vector<std::string>;  // one sentence each

// `failures` gets a sentence if the rank fails while the search runs; all its alternatives are equal from then on.
Result<std::unique_ptr<Rank>> load_user_rank(const std::string& path, std::shared_ptr<RankFailures> failures);

}  // namespace lockstep
