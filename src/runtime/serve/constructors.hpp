// Constructors of the program's static objects. They have run when control begins, unless they start threads: then they
// are part of every execution.
#pragma once

namespace lockstep::rt {

// What the C library does between its own initialisation and main.
void run_constructors(int argc, char** argv, char** environment);
// Tells the driver to start the program again such that executions run them.
[[noreturn]] void start_again_with_constructors();

}  // namespace lockstep::rt
