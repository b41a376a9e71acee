// What may be reduced in spite of the reasons an execution gave: one table, asked by every reduction.
#pragma once
#include <algorithm>

#include "model/reason.hpp"

namespace lockstep {

// From the most that may be reduced to the least; each allows less than the one before.
enum class Reduction : uint8_t {
  Full,
  OneLane,     // wakeup trees only in depth-first order
  SourceSets,  // no wakeup trees
  NoSleepSets,
  Nothing,
};

enum class Method : uint8_t {
  PartialOrder,  // traces, without a bound or by their cost: dpor, source-dpor, optimal-dpor
  Bounded,       // executions within a bound on preemptions: bpor
  StateCache,    // states with the same happens-before order are explored once: chess
  kCount
};

// Everything that is not proved is explored without reduction: a new reason starts with three times Nothing.
inline Reduction allowed_by(Reason reason, Method method) {
  struct Row {
    Reduction partial_order, bounded, state_cache;
  };
  using enum Reduction;
  const Row row = [&]() -> Row {
    switch (reason) {
      // From a yield on, which is what brings fairness into play, TreeSearch looks up no state.
      case Reason::Fairness: return {Nothing, Nothing, Full};
      // A step that gives up is one like others. Within a bound it has its price, which depends on who else can run.
      case Reason::Timeout: return {Full, Nothing, Full};
      // The end is a step that conflicts with all others, and nothing follows it: who could have gone on goes first.
      // How far that has been explored is known only when all before it is finished. Within a bound, who would have to
      // go first, and at what price, is not decided by the nearest conflict.
      case Reason::EarlyExit: return {OneLane, Nothing, Full};
      // Exit handlers are taken off their list by steps, and the end comes after the last.
      case Reason::ThreadsAtExit: return {Full, Full, Full};
      // All input and output is about one object; who waits may be reversed with any that took input before.
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
