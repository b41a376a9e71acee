// What the program wants done with signals. The runtime needs those of crashes and of its watchdog for itself, so the
// program's wish is kept here and honoured by our handlers; all wishes are forgotten before the next execution.
#pragma once
#include <signal.h>

#include "model/ids.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

struct sigaction disposition_of(int signal);                                            // as the program sees it
int set_disposition(int signal, const struct sigaction* fresh, struct sigaction* old);  // 0 or an error number
// sigaltstack, of one thread only: programs ask for what they have just set. Handlers of crashes run on the runtime's
// own stack, whatever the program asks for.
void set_signal_stack(ThreadId thread, const stack_t& stack);
stack_t signal_stack_of(ThreadId thread);
void restore_dispositions();
void apply_dispositions();  // the wishes are those of a checkpoint: tells the kernel again

// The program's own handler of a crash signal; false if it has none.
bool run_own_handler(int signal, siginfo_t* info, void* context);
extern const Module dispositions_module;

}  // namespace lockstep::rt
