// The judge: which reduction is allowed despite the reasons that an execution gave. One table, used by every reduction.
#pragma once
#include <algorithm>

#include "model/reason.hpp"

namespace lockstep {

// From the most reduction to none; each allows less than the one before.
enum class Reduction : uint8_t {
  Full,
  OneLane,     // wakeup trees only in depth-first order
  SourceSets,  // no wakeup trees
  NoSleepSets,
  Nothing,
};

enum class Method : uint8_t {
  PartialOrder,  // traces, without a bound or by their cost: dpor, source-dpor, optimal-dpor
  Bounded,       // traces, without a bound or bounded by cost: dpor, source-dpor, optimal-dpor
  StateCache,    // states with the same happens-before order are explored once: chess
  kCount
};

// Whatever is not proved is explored without reduction: the row of a new reason starts with Nothing for every method.
inline Reduction allowed_by(Reason reason, Method method) {
  struct Row {
    Reduction partial_order, bounded, state_cache;
  };
  using enum Reduction;
  const Row row = [&]() -> Row {
    switch (reason) {
      // After a yield, which is where fairness begins to matter, TreeSearch does not use cached states.
      case Reason::Fairness: return {Nothing, Nothing, Full};
      // A timeout is an ordinary step. Within a bound, its cost depends on which other threads are enabled.
      case Reason::Timeout: return {Full, Nothing, Full};
      // The end of the process is a step that conflicts with all others, and nothing follows it. The threads that could
      // have continued go first. How far that has been explored is known only once everything before it has finished.
      // Within a bound, the nearest conflict does not determine which thread has to go first, and at what cost.
      case Reason::EarlyExit: return {OneLane, Nothing, Full};
      // Steps take exit handlers off their list, and the end of the process comes after the last handler.
      case Reason::ThreadsAtExit: return {Full, Full, Full};
      // All input and output is one object. A wait may be reversed with any step that took input before it.
      case Reason::Input: return {OneLane, Full, Full};
      case Reason::Unknown:
      case Reason::Delay:
      case Reason::Unpreemptible:
      case Reason::HiddenSync:
      case Reason::Interrupt:
      case Reason::LockMisuse:
      case Reason::Lifetime:
      case Reason::kCount: break;
    }
    return {Nothing, Nothing, Nothing};
  }();
  switch (method) {
    case Method::PartialOrder: return row.partial_order;
    case Method::Bounded: return row.bounded;
    case Method::StateCache: return row.state_cache;
    case Method::kCount: break;
  }
  return Nothing;
}

inline Reduction allowed_by(Reasons reasons, Method method) {
  Reduction least = Reduction::Full;
  for (uint32_t bits = reasons.bits(); bits != 0; bits &= bits - 1)
    least = std::max(least, allowed_by(Reason(__builtin_ctz(bits)), method));
  return least;
}

}  // namespace lockstep
