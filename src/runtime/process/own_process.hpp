// Functions of the runtime on its own process.
#pragma once
#include "model/channel.hpp"

namespace lockstep::rt {

inline constexpr int kWatchdogSignal = 62;

void ring_bell(Ring& ring);                 // wakes the reader of the ring
void use_crash_stack();                     // on the calling OS thread: handlers must not need the program's stack
[[noreturn]] void refuse(const char* why);  // this program cannot be controlled: exits; the driver prints why

}  // namespace lockstep::rt
