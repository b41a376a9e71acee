// Constructors of the program's static objects. They have run before the runtime takes control, unless they start
// threads: then they run in every execution.
#pragma once

namespace lockstep::rt {

// Does what the C library does between its own initialisation and main.
void run_constructors(int argc, char** argv, char** environment);
// Makes the driver start the program again, with constructors run by executions.
[[noreturn]] void start_again_with_constructors();

}  // namespace lockstep::rt
