// What goes between a worker and its driver: plans in, traces out, through the rings of the channel.
#pragma once
#include "model/channel.hpp"
#include "model/plan.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

const PlanHeader* next_plan();                         // waits for it; nullptr: the driver wants us to stop
const PlanHeader* plan_after(const PlanHeader* plan);  // nullptr: not there yet
void plan_done(const PlanHeader* plan);

void write_trace(uint64_t plan_id);  // of the execution that has just ended
uint64_t digest_of_trace();          // likewise: equal traces, equal digests

}  // namespace lockstep::rt
