// Signal handlers: first writes to tracked pages, crashes of the program, the watchdog.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

void install_signal_handlers();
const char* signal_name(int signal);

}  // namespace lockstep::rt
