// What the user wants done outside the program around every execution: a shell command, or a function of the test that
// explores. Both run in a process of their own, so that only what lies outside the program's memory changes.
#pragma once

namespace lockstep::rt {

// Each returns false if it failed; then around_error() says how.
bool before_each_execution();
bool after_each_execution();
const char* around_error();

}  // namespace lockstep::rt
