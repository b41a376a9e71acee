// The events of a failing execution, in order, and the choice of those worth telling.
#pragma once
#include <cstdint>
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

struct StoryRow {
  enum Kind : uint8_t {
    Operation,  // a step
    Blocked,    // the next operation of `thread` could not run: it is not a step of its own
    Preempted,  // `thread` could have gone on, but `other` runs
    Failure,    // what `thread` did wrong
    Skipped,    // `count` rows not worth telling
    Racing,     // an access of the data race: `index` 0 is the first, 1 the second
  };
  Kind kind;
  ThreadId thread = kNoThread;
  ThreadId other = kNoThread;
  bool pending = false;  // `index` is into the pending operations, else into the steps
  bool waits = false;    // Operation: the thread then waits (the wait itself is no step)
  uint32_t index = 0;
  uint32_t number = 0;  // shown at the left; counts operations and blocked attempts
  uint32_t count = 0;
  std::vector<ThreadId> blockers = {};  // Blocked: who holds it
};

// All rows of the trace, and the accesses of `race` where they happened.
std::vector<StoryRow> all_rows(TraceView trace, const DataRace* race = nullptr);

// At most about `limit` rows: switches, conflicting operations and the end stay, runs of others become Skipped.
std::vector<StoryRow> telling_rows(std::vector<StoryRow> rows, TraceView trace, size_t limit);

}  // namespace lockstep
