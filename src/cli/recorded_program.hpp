// A recorded schedule with its program, ready to run: the common part of `replay`, `shrink`, `explain` and `debug`.
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
  ProgramIdentity build;  // current state of the executable
  bool changed = false;   // the build differs from that of the recording
  TargetOptions launch;   // how to start the program
  std::unique_ptr<Target> target;
};

// Loads options.schedule. Enters the folder of the recording, so relative paths in `options` become absolute.
Result<RecordedProgram> read_recorded_program(Options& options, const Services& services);

// As above, and starts the program.
Result<RecordedProgram> start_recorded_program(Options& options, const Services& services);

}  // namespace lockstep
