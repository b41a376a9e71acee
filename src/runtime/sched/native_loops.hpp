// Spin loops in code without any scheduling point: inline atomics of uninstrumented programs, assembler.
//
// Such a loop never lets anybody else run. When the driver finds that a thread makes no progress it sends a signal, and
// the loop is looked for by single steps: a loop that comes back to the same place with the same registers and the same
// stack will do so for ever. Its backward jump is then replaced by a trap. From there on every round that repeats the
// one before it is a yield, rounds that do not are none: what is recorded does not depend on when the loop was found,
// nor in which execution.
#pragma once
#include <signal.h>

#include "model/channel.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

bool native_loops_known();                         // some code is changed for good
void update_native_loops(const Channel& channel);  // those that other workers found
// The driver asks why there is nothing to be seen of us: begins to look for a loop, if this is the second time it asks.
void look_for_native_loop(void* context);
// A trap: a round of a known loop, or a step of the search for one. False: none of ours.
bool handle_trap(siginfo_t* info, void* context);
extern const Module native_loops_module;

}  // namespace lockstep::rt
