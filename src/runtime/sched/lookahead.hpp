// What a published operation would do if it were executed now.
#pragma once
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

// Would it write its object? Only operations whose outcome decides (compare-exchange, try-lock...) need a look.
bool would_write(const Step& pending);

// What a parked thread will do next: `pending`, unless there is a signal to be taken first.
Step next_step(const Thread& thread);

}  // namespace lockstep::rt
