// What the program wants done with signals. The runtime needs those of crashes and of its watchdog for itself, so the
// program's are kept here and run by ours; all are forgotten before the next execution.
#pragma once
#include <signal.h>

#include "model/ids.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

struct sigaction disposition_of(int signal);                                            // as the program sees it
int set_disposition(int signal, const struct sigaction* fresh, struct sigaction* old);  // 0 or an error number
void restore_dispositions();
void apply_dispositions();  // those of a checkpoint

// The program's own handler of a crash signal; false if it has none. Called from ours, it runs once ours has returned:
// on the stack of its thread, or the one that the thread gave for it.
bool run_own_handler(int signal);
bool run_own_handler_next(int signal, const siginfo_t* info, void* context, bool stack_is_full);
extern const Module dispositions_module;

}  // namespace lockstep::rt
