// Executions in which nobody can go on and nobody spins.
#pragma once
#include "model/trace.hpp"

namespace lockstep {

// The code of a Livelock in which all repeat calls for which the kernel would let them wait.
inline constexpr int32_t kWaitsInCalls = 1;

inline bool waits_for_ever(const TraceHeader& header) {
  return header.outcome == Outcome::Deadlock || (header.outcome == Outcome::Livelock && header.code == kWaitsInCalls);
}

}  // namespace lockstep
