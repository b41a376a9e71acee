// Timers as tasks (timers.cpp has the details).
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

unsigned timer_tasks();          // number of tasks behind timers now
void reset_timers();             // before an execution
void descriptor_closed(int fd);  // the descriptor may have been a timer's
extern const Module timers_module;

}  // namespace lockstep::rt
