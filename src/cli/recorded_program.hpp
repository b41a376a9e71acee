// A recorded schedule with the program it belongs to, ready to run: what `replay` and `shrink` begin with.
#pragma once
#include <memory>
#include <string>

#include "cli/options.hpp"
#include "cli/services.hpp"
#include "report/schedule_file.hpp"

namespace lockstep {

struct RecordedProgram {
  ScheduleFile schedule;
  std::string program;    // path of the executable
  ProgramIdentity build;  // as it is now
  bool changed = false;   // it is not the build the schedule was recorded with
  TargetOptions launch;   // how its program, or the one given, is to be started
  std::unique_ptr<Target> target;
};

// Loads options.schedule. Enters the folder the recording was made in, so relative paths in `options` become absolute.
Result<RecordedProgram> read_recorded_program(Options& options, const Services& services);

// And starts the program.
Result<RecordedProgram> start_recorded_program(Options& options, const Services& services);

}  // namespace lockstep
