// Spin loops in code without any scheduling point: inline atomics of uninstrumented programs, assembler.
//
// Such a loop never lets another thread run. When the driver finds that a thread makes no progress it sends a signal,
// and the runtime searches for the loop by single steps: a loop that returns to the same place with the same registers
// and the same stack repeats forever. Its backward jump is then replaced by a trap. From then on every round that
// repeats the previous one is a yield, and other rounds are not: the records do not depend on when, or in which
// execution, the loop was found.
#pragma once
#include <signal.h>

#include "model/channel.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

bool native_loops_known();                         // some code is permanently changed
void update_native_loops(const Channel& channel);  // takes over those that other workers found
// The driver signals that it sees no progress: starts a hunt for a loop at the second signal.
void look_for_native_loop(void* context);
// Handles a trap: a round of a known loop, or a step of a hunt. False: not a trap of this module.
bool handle_trap(siginfo_t* info, void* context);
extern const Module native_loops_module;

}  // namespace lockstep::rt
