// Loads a recorded schedule and prepares its program.
#include "cli/recorded_program.hpp"

#include "campaign/code_places.hpp"
#include "cli/paths.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <filesystem>

#include "report/summary.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// Relative names in the recording are relative to its folder. This does not apply if the user gives another program.
void enter_recorded_folder(const ScheduleFile& recording, Options& options) {
  if (!options.command.empty() || recording.cwd.empty()) return;
  std::error_code error;
  for (std::string* file :
       {&options.json, &options.junit, &options.sarif, &options.output, &options.html, &options.perfetto})
    if (!file->empty() && *file != "-") *file = fs::absolute(*file, error).string();
  if (chdir(recording.cwd.c_str()) != 0) return;  // another machine: the names may still be valid here
  setenv("PWD", recording.cwd.c_str(), 1);        // as a shell does
}

// Starts the program as it was started for the recording, unless options override that.
TargetOptions launch_options(const ScheduleFile& schedule, const Options& options, const std::string& program) {
  TargetOptions launch;
  launch.command = schedule.program;
  launch.isolation = options.isolation == Isolation::Auto ? schedule.isolation : options.isolation;
  launch.backend = options.backend == Backend::Auto ? schedule.backend : options.backend;
  launch.points = schedule.points;
  launch.explore_call = schedule.explore_call;
  launch.timeouts = schedule.timeouts;
  launch.spin_rounds = schedule.spin_rounds;
  launch.max_delay_ms = schedule.max_delay_ms;
  launch.find_leaks = options.leaks || schedule.bug.kind == FindingKind::Leak;
  launch.check_locks = schedule.bug.kind == FindingKind::LockDiscipline;
  launch.check_yields = schedule.bug.kind == FindingKind::Livelock;
  launch.spurious = schedule.spurious;
  launch.expected_exit = schedule.expected_exit;
  launch.compares_output = schedule.compares_output;
  launch.before_each = options.before_each;
  launch.after_each = options.after_each;
  launch.checkpoints = CheckpointUse::Off;
  // The recorded input, unless the user gives other input.
  launch.input = ProgramInput::from_standard_input(program);
  if (!schedule.input.empty() && launch.input->bytes(kRecordedInput).empty())
    launch.input = ProgramInput::of(schedule.input);
  launch.workers = 1;
  launch.max_steps = schedule.bug.plan.max_steps;
  launch.threads = schedule.threads;
  return launch;
}

}  // namespace

Result<RecordedProgram> read_recorded_program(Options& options, const Services& services) {
  Result<ScheduleFile> loaded = load_schedule(options.schedule);
  if (!loaded) return loaded.error();
  RecordedProgram recording;
  recording.schedule = std::move(*loaded);
  ScheduleFile& schedule = recording.schedule;
  for (const std::string& file :
       {options.json, options.junit, options.sarif, options.output, options.html, options.perfetto})
    if (!file.empty() && file != "-")
      if (auto error = check_writable_file(file)) return *error;
  enter_recorded_folder(schedule, options);
  if (!options.command.empty()) schedule.program = options.command;
  Result<std::string> program = services.find_program(schedule.program[0]);
  if (!program) return program.error();
  recording.program = *program;
  // A schedule may come from anywhere and names the program to start, so the program must be built for Lockstep.
  if (options.command.empty() && services.is_built_for_lockstep && !services.is_built_for_lockstep(*program))
    return Error{
        ExitCode::Usage,
        fmt::format("{} was not built with lockstep-cxx and is not started because a schedule names it; add -- {}",
                    schedule.program[0], shell_words(schedule.program))};
  Result<std::string> runtime = services.find_runtime();
  if (!runtime) return runtime.error();

  recording.launch = launch_options(schedule, options, *program);
  recording.launch.runtime_library = *runtime;
  recording.build = identify_program(*program);
  recording.changed = !same_program(schedule.build, recording.build);
  return recording;
}

Result<RecordedProgram> start_recorded_program(Options& options, const Services& services) {
  Result<RecordedProgram> recording = read_recorded_program(options, services);
  if (!recording) return recording;
  Result<std::unique_ptr<Target>> target = services.start(recording->launch);
  if (!target) return target.error();
  recording->target = std::move(*target);
  if (!recording->schedule.promoted.empty())
    recording->target->promote({addresses_of(recording->target->modules(), recording->schedule.promoted), {}});
  return recording;
}

}  // namespace lockstep
