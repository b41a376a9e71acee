// What a published operation would do if it were executed now.
#pragma once
#include "model/trace.hpp"

namespace lockstep::rt {

// Would it write its object? Only operations whose outcome decides (compare-exchange, try-lock...) need a look.
bool would_write(const Step& pending);

}  // namespace lockstep::rt
