// The sum of explorations that follow each other.
#pragma once
#include "search/exploration/explorer.hpp"

namespace lockstep {

// `last` searched after `before` was given up: what both together amount to. The claim is the last one's.
Exploration together(Exploration before, Exploration last);

}  // namespace lockstep
