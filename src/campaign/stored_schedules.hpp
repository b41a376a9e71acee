// Failures that earlier runs left in --out: they are tried first, so that a regression fails in milliseconds.
//
// A schedule of the same build is replayed exactly. If that fails, or the program has changed, its switches are carried
// over to the program as it is now: each thread's recorded operations are matched with those it does now by kind, and
// by object or function, and the threads are switched behind the same operations as before.
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

// Those of this very command, in the order of their numbers. Files that cannot be read are passed over.
std::vector<StoredSchedule> stored_schedules(const std::string& out, const std::vector<std::string>& command);

// The recorded failure, if it shows again; its plan is one for the program as it is now.
std::optional<Finding> replay_stored(Replayer& replayer, const StoredSchedule& stored, bool same_build);

// Where recorded operations of one thread are among those it does now: for each of them how many of `now` lie before
// the place behind it. Ascending.
std::vector<uint32_t> carry_over(const std::vector<RecordedOperation>& recorded,
                                 const std::vector<RecordedOperation>& now);

}  // namespace lockstep
