// Executions that do not end: proven by spinners that wait for each other, or judged at the step limit.
#pragma once
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

bool try_spinners_again();  // lets all of them go round once more; false if there are none

// At the step limit (Musuvathi & Qadeer 2008): a fair execution that repeats itself is a livelock; so is a thread that
// goes on without ever yielding while others could run, a good-samaritan violation. Anything else is just long.
Outcome judge_long_execution(const Scheduler& s, char* text, size_t size);

}  // namespace lockstep::rt
