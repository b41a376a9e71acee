// Runs what the user wants done outside the program around every execution: a shell command, or a function of the test
// that explores. Each runs in its own process, so it changes nothing in the program's memory.
#pragma once

namespace lockstep::rt {

// Returns false on failure; execution_command_error() then has the message.
bool before_each_execution();
bool after_each_execution();
const char* execution_command_error();

}  // namespace lockstep::rt
