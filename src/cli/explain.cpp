#include <fmt/format.h>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "campaign/replayer.hpp"
#include "cli/commands.hpp"
#include "cli/recording.hpp"
#include "cli/session.hpp"
#include "report/html.hpp"
#include "report/story.hpp"

namespace lockstep {

int explain_command(const Options& given, const World& world) {
  Options options = given;
  Result<Recording> recording = open_recording(options, world);
  if (!recording) return fail(recording.error());
  Session session(options);
  if (recording->changed)
    session.warn(fmt::format("{} has changed since the schedule was recorded", recording->program));
  Replayer replayer(*recording->target, options.races);
  std::optional<Finding> found = replayer.reproduce(recording->schedule.bug, false);
  if (!found) {
    session.warn("the failure did not reproduce; 'lockstep replay' shows where the program departs from the recording");
    return static_cast<int>(ExitCode::NoBug);
  }
  found->schedule = options.schedule;
  if (options.html.empty()) {
    constexpr size_t kRows = 400;
    session.print(
        tell_story(*found, replayer.symbols(),
                   {.terminal = session.terminal(), .replayed = true, .row_limit = kRows, .output_lines = 200}));
    return 0;
  }
  std::ofstream out(options.html);
  out << html_story(*found, replayer.symbols());
  out.close();
  if (!out) return fail({ExitCode::Usage, fmt::format("cannot write {}: {}", options.html, std::strerror(errno))});
  if (!options.quiet) session.print(fmt::format("Wrote {}.\n", options.html));
  return 0;
}

}  // namespace lockstep
