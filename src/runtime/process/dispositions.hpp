// Signal dispositions of the program. The runtime needs the handlers of crash signals and of its watchdog itself, so
// the program's handlers are stored here, and the runtime's handlers call them. All are reset before the next
// execution.
#pragma once
#include <signal.h>

#include "model/ids.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

struct sigaction disposition_of(int signal);                                            // as the program sees it
int set_disposition(int signal, const struct sigaction* fresh, struct sigaction* old);  // 0 or an error number
void restore_dispositions();
void apply_dispositions();  // applies those of a checkpoint

// The program's own handler of a crash signal; false if it has none. With run_own_handler_next(), which the runtime's
// handler calls, it runs after the runtime's handler has returned: on the stack of its thread, or on the signal stack
// of the thread.
bool run_own_handler(int signal);
bool run_own_handler_next(int signal, const siginfo_t* info, void* context, bool stack_is_full);
extern const Module dispositions_module;

}  // namespace lockstep::rt
