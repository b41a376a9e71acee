// Refuses calls that cannot be controlled.
#pragma once

namespace lockstep::rt {

// Ends the exploration: the program called something that cannot be controlled.
[[noreturn]] void refuse_call(const char* call, const char* why);

}  // namespace lockstep::rt
