// The service loop: plans in, traces out.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

bool attach_channel(int channel_fd, int table_fd);  // maps what the driver handed over
[[noreturn]] void serve_plans();                    // on the controller's stack

}  // namespace lockstep::rt
