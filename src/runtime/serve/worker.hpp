// The service loop: plans in, traces out.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

bool attach_channel(int channel_fd, int table_fd);  // maps the files that the driver passed on
[[noreturn]] void serve_plans();                    // runs on the controller's stack

}  // namespace lockstep::rt
