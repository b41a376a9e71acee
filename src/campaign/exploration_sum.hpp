// The sum of explorations that follow each other.
#pragma once
#include "search/exploration/explorer.hpp"

namespace lockstep {

// The counts of both add up: `last` searched after `before` was given up. The claim is that of `last`.
Exploration sum_of(Exploration before, Exploration last);

}  // namespace lockstep
