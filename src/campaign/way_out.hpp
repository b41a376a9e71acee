// Does some schedule leave the cycle of a livelock? Then the program need not hang: that is a warning, not a bug.
#pragma once
#include <functional>
#include <string>

#include "analysis/finding.hpp"
#include "target/target.hpp"

namespace lockstep {

// Runs the finding's schedule up to where its steps repeat, then other schedules for a while: each thread first, and
// some random ones, until stop() says so. Which of them did not come back to the cycle, in words; empty: none.
std::string way_out(Target& target, const Finding& livelock, const std::function<bool()>& stop);

}  // namespace lockstep
