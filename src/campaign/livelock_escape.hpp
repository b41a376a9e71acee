// Does some schedule leave the cycle of a livelock? If so, the program need not hang, and the livelock is a warning.
#pragma once
#include <functional>
#include <string>

#include "analysis/finding.hpp"
#include "target/target.hpp"

namespace lockstep {

// Runs the finding's schedule up to the repeated steps, then other schedules: each thread first, and some random ones,
// until stop() returns true. Describes the schedules that leave the cycle; empty: none.
std::string escape_from_livelock(Target& target, const Finding& livelock, const std::function<bool()>& stop);

}  // namespace lockstep
