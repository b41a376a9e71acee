// The sum of consecutive explorations.
#pragma once
#include "search/exploration/explorer.hpp"

namespace lockstep {

// Adds the counts of both: `last` ran after `before` was abandoned. The claim is that of `last`.
Exploration sum_of(Exploration before, Exploration last);

}  // namespace lockstep
