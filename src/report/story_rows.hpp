// The rows of a story: the events of a failing execution in order, and the choice of the important ones.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

struct StoryRow {
  enum Kind : uint8_t {
    Operation,  // a step
    Blocked,    // the next operation of `thread` could not run; it is not a step
    Preempted,  // `thread` was enabled, but `other` runs
    Failure,    // the failure of `thread`
    Skipped,    // `count` rows left out
    Racing,     // an access of the data race: `index` 0 is the first, 1 the second
  };
  Kind kind;
  ThreadId thread = kNoThread;
  ThreadId other = kNoThread;
  bool pending = false;  // `index` refers to the pending operations, otherwise to the steps
  bool waits = false;    // for Operation: the thread waits afterwards; the wait is not a step
  uint32_t index = 0;
  uint32_t number = 0;  // shown at the left; counts operations, blocked attempts and racing accesses
  uint32_t count = 0;
  std::vector<ThreadId> blockers = {};  // for Blocked: the holders
};

// All rows of the trace, and the accesses of `race` where they happened. The rows of a race end with its second access.
std::vector<StoryRow> all_rows(TraceView trace, const DataRace* race = nullptr);

enum class Creation { LeftOut, Unnumbered };

// Rows that only create threads and join them are left out or lose their number, and the others are numbered anew.
// Returns by thread how many.
std::map<ThreadId, uint32_t> fold_creation(std::vector<StoryRow>& rows, TraceView trace, Creation how);

// Selects about `limit` rows: switches, conflicting operations and the end.
std::vector<bool> rows_worth_telling(const std::vector<StoryRow>& rows, TraceView trace, size_t limit);

}  // namespace lockstep
