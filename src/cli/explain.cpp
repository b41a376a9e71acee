// The command `lockstep explain`: replays a schedule and writes its story to files.
#include <fmt/format.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "campaign/replayer.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/recorded_program.hpp"
#include "report/html.hpp"
#include "report/perfetto.hpp"
#include "report/story.hpp"
#include "report/story_json.hpp"

namespace lockstep {
namespace {

std::optional<Error> write(const std::string& path, const std::string& text, const Console& console, bool quiet) {
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) return Error{ExitCode::Usage, fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  if (!quiet) console.print(fmt::format("Wrote {}.\n", path));
  return std::nullopt;
}

}  // namespace

int explain_command(const Options& given, const Services& services) {
  Options options = given;
  Result<RecordedProgram> recording = start_recorded_program(options, services);
  if (!recording) return fail(recording.error());
  Console console(options);
  if (recording->changed)
    console.warn(fmt::format("{} has changed since the schedule was recorded", recording->program));
  Replayer replayer(*recording->target, options.races, {}, recording->schedule.expected_output);
  std::optional<Finding> found = replayer.reproduce(recording->schedule.bug, false);
  if (!found) {
    console.warn("the failure did not reproduce; 'lockstep replay' shows where the program departs from the recording");
    return static_cast<int>(ExitCode::NoBug);
  }
  replayer.explain(*found, {});
  replayer.observe(*found);
  found->schedule = options.schedule;
  if (options.html.empty() && options.perfetto.empty()) {
    constexpr size_t kRows = 400;
    console.print(
        tell_story(*found, replayer.symbols(),
                   {.terminal = console.terminal(), .replayed = true, .row_limit = kRows, .output_lines = 200}));
    return 0;
  }
  replayer.detail_passing(*found);
  const nlohmann::ordered_json story = story_json(*found, replayer.symbols(), recording->schedule.program);
  if (!options.html.empty())
    if (auto error = write(options.html, html_story(story), console, options.quiet)) return fail(*error);
  if (!options.perfetto.empty())
    if (auto error = write(options.perfetto, perfetto_trace(story), console, options.quiet)) return fail(*error);
  return 0;
}

}  // namespace lockstep
