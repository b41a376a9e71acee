// Detailed executions: what each step read and wrote, and stops at which the driver reads memory.
#pragma once
#include "model/inspection.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/runtime.hpp"

namespace lockstep::rt {

struct InspectionState {
  StepValues* values;    // by step; mapped when first needed
  uint32_t value_count;  // steps that have one
  unsigned races_shown;
  bool keeps_values;  // Plan::detail
  bool on;            // Plan::inspect
};
inline constinit InspectionState inspection{};
extern const Module inspection_module;

// Step `index` of `me` has been recorded and is about to run: stores the value of its object, and stops.
void observe_step(Thread& me, uint32_t index);
// Stores what the last step of `me` wrote, if still unknown. Called as soon as the value is written.
void settle_write_slowly(Thread& me);
inline void settle_write(Thread& me) {
  if (UNLIKELY(me.unsettled)) settle_write_slowly(me);
}
uint32_t step_values(uint32_t steps);  // extends `values` to this many steps

// Waits until the driver has read the memory, if the plan requests stops.
void stop_for_driver(Inspection::Kind kind, uint32_t step, ObjectId object);
void stop_at_new_races();

}  // namespace lockstep::rt
