// Calls the modules of the runtime at each phase of its lifecycle.
#pragma once
#include "runtime/base/module.hpp"
#include "runtime/base/settings.hpp"

namespace lockstep::rt {

void start_modules();
void take_initial_state();             // at the snapshot
void restore_initial_state();          // isolation by reset
void prepare(const PlanHeader& plan);  // for an execution from its beginning
void after_execution();
void leave_for_checkpoint();
void arrive_at_checkpoint();

}  // namespace lockstep::rt
