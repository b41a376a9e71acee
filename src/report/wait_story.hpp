// What the steps of a trace mean to those who wait: whom a notification wakes, what ended a wait, how often a lock is
// held. One walk over the trace.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

struct WaitStory {
  explicit WaitStory(TraceView trace);

  std::map<uint32_t, std::vector<ThreadId>> woken;    // by the notification of this step; empty: nobody waits
  std::map<uint32_t, uint32_t> woken_by;              // the end of a wait → the notification
  std::map<uint32_t, uint32_t> depth;                 // a lock taken again by who holds it: how often it holds it now
  std::map<uint32_t, std::vector<ThreadId>> holders;  // an attempt that failed: who holds it
  std::map<ThreadId, ObjectId> waiting;               // at the end in a condition wait and not woken: on which
  std::map<std::pair<ThreadId, ObjectId>, uint32_t> taken;  // locks held at the end: the step that took them
};

}  // namespace lockstep
