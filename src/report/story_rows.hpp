// The events of a failing execution, in order, and the choice of those worth telling.
#pragma once
#include <cstdint>
#include <map>
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

// All rows of the trace, and the accesses of `race` where they happened: a race's story ends with the second one.
std::vector<StoryRow> all_rows(TraceView trace, const DataRace* race = nullptr);

enum class Creation { LeftOut, Unnumbered };

// Rows that only create threads and join them are left out or lose their number, and the others are numbered anew.
// Returns by thread how many.
std::map<ThreadId, uint32_t> fold_creation(std::vector<StoryRow>& rows, TraceView trace, Creation how);

// Which rows to tell, about `limit` of them: switches, conflicting operations and the end.
std::vector<bool> rows_worth_telling(const std::vector<StoryRow>& rows, TraceView trace, size_t limit);

}  // namespace lockstep
