#include <fmt/format.h>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "campaign/replayer.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/recorded_program.hpp"
#include "report/html.hpp"
#include "report/story.hpp"

namespace lockstep {

int explain_command(const Options& given, const Services& services) {
  Options options = given;
  Result<RecordedProgram> recording = start_recorded_program(options, services);
  if (!recording) return fail(recording.error());
  Console console(options);
  if (recording->changed)
    console.warn(fmt::format("{} has changed since the schedule was recorded", recording->program));
  Replayer replayer(*recording->target, options.races);
  std::optional<Finding> found = replayer.reproduce(recording->schedule.bug, false);
  if (!found) {
    console.warn("the failure did not reproduce; 'lockstep replay' shows where the program departs from the recording");
    return static_cast<int>(ExitCode::NoBug);
  }
  found->schedule = options.schedule;
  if (options.html.empty()) {
    constexpr size_t kRows = 400;
    console.print(
        tell_story(*found, replayer.symbols(),
                   {.terminal = console.terminal(), .replayed = true, .row_limit = kRows, .output_lines = 200}));
    return 0;
  }
  std::ofstream out(options.html);
  out << html_story(*found, replayer.symbols(), recording->schedule.program);
  out.close();
  if (!out) return fail({ExitCode::Usage, fmt::format("cannot write {}: {}", options.html, std::strerror(errno))});
  if (!options.quiet) console.print(fmt::format("Wrote {}.\n", options.html));
  return 0;
}

}  // namespace lockstep
