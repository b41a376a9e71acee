// Waits in a trace: which threads a notification wakes, what ended a wait, how often a lock is held. Computed in one
// walk over the trace.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

struct WaitStory {
  explicit WaitStory(TraceView trace);

  std::map<uint32_t, std::vector<ThreadId>> woken;  // woken by the notification of this step; empty: no thread waited
  std::map<uint32_t, uint32_t> woken_by;            // step that ends a wait → the notification
  // A lock taken again by its holder: number of times it is now held.
  std::map<uint32_t, uint32_t> depth;
  std::map<uint32_t, std::vector<ThreadId>> holders;  // a failed attempt: the holders
  std::map<ThreadId, ObjectId> waiting;               // at the end in a condition wait and not woken: the condition
  std::map<std::pair<ThreadId, ObjectId>, uint32_t> taken;  // locks held at the end: the step that took them
};

}  // namespace lockstep
