// The processor's cycle counter. rdtsc and rdtscp of the program read the virtual clock, so that executions repeat: if
// its code has such instructions, the kernel makes them fault, and the fault handler emulates them.
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

void control_cycle_counter();              // after code was loaded: makes the instructions fault if there are any
bool handle_cycle_counter(void* context);  // emulates the instruction that faulted and skips it
void release_cycle_counter();              // in a child process, which inherits the setting, even across exec

// Lets processes start while an object of this class exists: even ld.so cannot run while the counter faults.
class ReleasedCycleCounter {
 public:
  ReleasedCycleCounter();
  ~ReleasedCycleCounter();
  ReleasedCycleCounter(const ReleasedCycleCounter&) = delete;

 private:
  bool was_;
};
extern const Module cycle_counter_module;

}  // namespace lockstep::rt
