// Strategy `revisit`: random executions that branch off at rare states (after Go-Explore: Ecoffet et al. 2021). An
// archive keeps, for every abstract state (base/state_hash.hpp), the first execution that reached it. Each execution
// continues from the rarest of some states, under POS or as a random walk. So what follows a compare-and-swap that
// succeeds although the value has changed and changed back is explored as often as what follows common states.
#pragma once
#include "search/strategies/random.hpp"

namespace lockstep {

std::unique_ptr<Search> make_revisit(const SeededOptions& options);

}  // namespace lockstep
