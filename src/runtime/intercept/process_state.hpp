// Calls on files and other state of the process.
#pragma once
#include "runtime/sched/state_call.hpp"

namespace lockstep::rt {

bool lies_outside(const char* path);  // in a file system that does not store what is written
// Call before changing the file at `path`: other executions see the change.
void note_change_of(const char* path);

}  // namespace lockstep::rt
