// What the runtime needs of the process for itself.
#pragma once
#include "model/channel.hpp"

namespace lockstep::rt {

inline constexpr int kWatchdogSignal = 62;

void ring_bell(Ring& ring);                 // wakes its reader
void use_crash_stack();                     // for the calling OS thread: handlers must not need the program's stack
[[noreturn]] void refuse(const char* why);  // this program cannot be controlled: exits, the driver prints why

}  // namespace lockstep::rt
