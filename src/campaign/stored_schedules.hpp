// Replays failures that earlier runs left in --out before the search, so that a regression shows in milliseconds.
//
// A schedule of the same build is replayed exactly. If that does not fail, or the program has changed, its switches are
// carried over to the current program: the recorded operations of each thread are matched with its current operations
// by kind, and by object or function, and threads are switched after the matching operations.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "campaign/replayer.hpp"
#include "report/schedule_file.hpp"

namespace lockstep {

struct StoredSchedule {
  ScheduleFile schedule;
  std::string path;
  unsigned number = 0;  // of "bug-N.lockstep"
};

// The schedules of this very command, ordered by number. Unreadable files are skipped.
std::vector<StoredSchedule> stored_schedules(const std::string& out, const std::vector<std::string>& command);

// The recorded failure if it shows again, with a plan for the current program.
std::optional<Finding> replay_stored(Replayer& replayer, const StoredSchedule& stored, bool same_build);

// For each recorded operation of a thread: how many of `now` lie before the point that corresponds to the end of the
// operation. Ascending.
std::vector<uint32_t> carry_over(const std::vector<RecordedOperation>& recorded,
                                 const std::vector<RecordedOperation>& now);

}  // namespace lockstep
