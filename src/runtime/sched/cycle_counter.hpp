// The processor's cycle counter. rdtsc and rdtscp of the program show the virtual clock, so that executions repeat:
// where its code has such instructions, the kernel makes them fault, and the fault is answered here.
#pragma once
#include "runtime/base/module.hpp"

namespace lockstep::rt {

void control_cycle_counter();              // after code was loaded: makes the instructions fault if there are any
bool handle_cycle_counter(void* context);  // a fault by such an instruction: done, goes on behind it
void release_cycle_counter();              // in a child process, which inherits the setting, even across exec

// While one lives, processes can be started: not even ld.so runs where the counter faults.
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
