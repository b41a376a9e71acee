#pragma once
#include "runtime/sched/state_call.hpp"

namespace lockstep::rt {

bool lies_outside(const char* path);  // in no file system that keeps what is written
// A call will change the file at `path`: other executions see what it leaves.
void note_change_of(const char* path);

}  // namespace lockstep::rt
