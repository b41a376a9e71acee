// Is it the same execution? Compared between machines: everything that a search or an analysis reads.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"
#include "target/target.hpp"

namespace lockstep {

using TraceHash = std::array<uint64_t, 2>;
TraceHash hash_of(TraceView trace);

// Plans that every worker runs before its first unit: the default schedule and a few others.
std::vector<Plan> control_plans();

// None: time is over, or the program cannot be controlled. Nothing may be in flight.
std::vector<TraceHash> run_controls(Target& target);

}  // namespace lockstep
