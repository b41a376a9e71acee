// The command `lockstep shrink`: writes a simpler schedule of the same failure.
#include <fmt/format.h>
#include <filesystem>

#include "campaign/replayer.hpp"
#include "campaign/stored_schedules.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/recorded_program.hpp"

#include "report/story.hpp"
#include "report/summary.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// "bug-1.lockstep" becomes "bug-1-shrunk.lockstep".
std::string next_to(const std::string& schedule) {
  const fs::path path(schedule);
  std::error_code ignored;
  return fs::absolute(path.parent_path() / (path.stem().string() + "-shrunk" + path.extension().string()), ignored)
      .string();
}

}  // namespace

int shrink_command(const Options& given, const Services& services) {
  Options options = given;
  if (options.output.empty()) options.output = next_to(options.schedule);
  Result<RecordedProgram> opened = start_recorded_program(options, services);
  if (!opened) return fail(opened.error());
  RecordedProgram& recording = *opened;
  Console console(options);
  if (recording.changed) console.warn(fmt::format("{} has changed since the schedule was recorded", recording.program));
  Target& target = *recording.target;
  Replayer replayer(target, options.races, {}, recording.schedule.expected_output);

  std::optional<Finding> found = replayer.reproduce(recording.schedule.bug, true);
  // After a small edit the recorded operations may be at other places, so they are matched with the program's current
  // operations. The places of its racy accesses are no longer known.
  if (!found && recording.changed) {
    target.promote({});
    recording.schedule.promoted.clear();
    found = replay_stored(replayer, {recording.schedule, options.schedule, 0}, false);
  }
  if (!found) {
    console.warn(
        "the failure did not reproduce, nothing to shrink; 'lockstep replay' shows where the program departs from the "
        "recording");
    return static_cast<int>(ExitCode::NoBug);
  }
  const Complexity before = complexity_of(found->trace);
  const ShrinkBudget generous{100'000, std::chrono::seconds(30)};
  Finding simple = replayer.simplify(*found, {}, generous);
  const Complexity after = complexity_of(simple.trace);
  simple.schedule = options.output;
  recording.schedule.bug = simple;
  recording.schedule.build = recording.build;
  recording.schedule.threads = target.threads();
  const TraceNames names(simple.trace, replayer.symbols());
  recording.schedule.operations = record_operations(names);
  recording.schedule.operations_total = simple.trace.view().header().steps;
  if (auto error = save_schedule(recording.schedule, options.output)) return fail(*error);

  console.print(tell_story(simple, replayer.symbols(), {.terminal = console.terminal()}) + "\n");
  const auto size = [](const Complexity& c) {
    return fmt::format("{}, {} and {}", plural(c.preemptions, "preemption"), plural(c.switches, "switch", "switches"),
                       plural(c.steps, "step"));
  };
  if (!options.quiet && size(before) == size(after))
    console.print(fmt::format("No simpler schedule found: {}.\n", size(after)));
  else if (!options.quiet)
    console.print(fmt::format("Shrunk from {} to {}.\n", size(before), size(after)));
  return 0;
}

}  // namespace lockstep
