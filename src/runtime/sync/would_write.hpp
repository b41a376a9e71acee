// Predicts the effect of a published operation if it were executed now.
#pragma once
#include "model/trace.hpp"

namespace lockstep::rt {

// Would it write its object? Reads the object only for operations whose outcome decides (compare-exchange,
// try-lock...).
bool would_write(const Step& pending);

}  // namespace lockstep::rt
