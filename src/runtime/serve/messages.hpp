// Messages between a worker and its driver through the rings of the channel: plans in, traces out.
#pragma once
#include "model/channel.hpp"
#include "model/plan.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

const PlanHeader* next_plan();                         // waits for it; nullptr: the driver requests a stop
const PlanHeader* plan_after(const PlanHeader* plan);  // nullptr: not yet sent
void plan_done(const PlanHeader* plan);

void write_trace(uint64_t plan_id);  // of the execution that has just ended
uint64_t digest_of_trace();          // of the same execution: equal traces have equal digests

}  // namespace lockstep::rt
