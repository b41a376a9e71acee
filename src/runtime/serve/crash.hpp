// Signals: first writes to tracked pages, crashes of the program, the watchdog's question.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

inline constexpr int kWatchdogSignal = 62;

void install_signal_handlers();
void use_crash_stack();  // for the calling OS thread: handlers must not need the program's stack
const char* signal_name(int signal);

}  // namespace lockstep::rt
