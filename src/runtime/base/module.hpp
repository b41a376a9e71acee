// A part of the runtime that has state. All modules have the same lifecycle; an unused function is null.
// serve/modules.cpp lists the modules; they are called in that order.
#pragma once

namespace lockstep::rt {

struct Module {
  const char* name;
  void (*start)() = nullptr;        // everything is loaded and initialised; main has not begun
  void (*at_snapshot)() = nullptr;  // right before the snapshot of the initial state
  void (*restore)() = nullptr;      // isolation by reset, before an execution: memory equals the snapshot again
  void (*update)() = nullptr;       // before an execution: takes over what other processes have put into the channel
  void (*before_execution)() = nullptr;  // `settings` are those of the next execution
  void (*after_execution)() = nullptr;
  void (*leave_for_checkpoint)() = nullptr;  // before going back to a checkpoint: undoes state that is not memory
  void (*at_checkpoint)() = nullptr;         // memory equals the checkpoint: restores the other state of the process
};

}  // namespace lockstep::rt
