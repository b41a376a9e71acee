// A part of the runtime that has state. All have the same lifecycle; what a module does not need is null.
// serve/modules.cpp lists them: they are called in that order.
#pragma once

namespace lockstep::rt {

struct Module {
  const char* name;
  void (*start)() = nullptr;        // everything is loaded and initialised, main has not begun
  void (*at_snapshot)() = nullptr;  // right before the initial state is taken down
  void (*restore)() = nullptr;      // isolation by reset, before an execution: memory is that of the snapshot again
  void (*update)() = nullptr;       // before an execution: takes over what other processes have put into the channel
  void (*before_execution)() = nullptr;  // `settings` are those of the execution to come
  void (*after_execution)() = nullptr;
  void (*leave_for_checkpoint)() = nullptr;  // an execution will go on from a checkpoint: undoes what is not memory
  void (*at_checkpoint)() = nullptr;         // memory is that of the checkpoint: makes the rest of the process like it
};

}  // namespace lockstep::rt
