#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "campaign/code_places.hpp"
#include "campaign/replayer.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/gdb/script.hpp"
#include "cli/recorded_program.hpp"
#include "report/story.hpp"

namespace lockstep {
namespace {

std::string python_text(const std::string& text) {
  std::string quoted = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\' || c < 0x20)
      quoted += fmt::format("\\x{:02x}", c);
    else
      quoted += static_cast<char>(c);
  }
  return quoted + "\"";
}

// gdb reads it from there; it must not be closed before gdb has ended.
int put_into_memory(const std::string& text) {
  const int fd = memfd_create("lockstep-gdb", 0);
  if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return -1;
  return fd;
}

// What the failure looked like, from a replay without the debugger, which also shows where the scheduling points are.
std::string story_of(const Options& options, RecordedProgram& recording, const Services& services) {
  Result<std::unique_ptr<Target>> target = services.start(recording.launch);
  if (!target) return "Cannot start the program: " + target.error().message;
  Options quiet = options;
  quiet.color = When::Never;
  Console console(quiet);
  recording.launch.promoted.places = addresses_of((*target)->modules(), recording.schedule.promoted);
  (*target)->promote(recording.launch.promoted);
  Replayer replayer(**target, options.races);
  const std::optional<Finding> found = replayer.reproduce(recording.schedule.bug, false);
  if (!found) return "The failure does not reproduce.";
  return tell_story(*found, replayer.symbols(), {.terminal = console.terminal(), .replayed = true});
}

}  // namespace

int debug_command(const Options& given, const Services& services) {
  Options options = given;
  Result<RecordedProgram> recording = read_recorded_program(options, services);
  if (!recording) return fail(recording.error());
  if (recording->changed)
    fmt::print(stderr, "lockstep: warning: {} has changed since the schedule was recorded\n", recording->program);
  const std::string script =
      fmt::format("STORY = {}\n{}", python_text(story_of(options, *recording, services)), kGdbScript);
  const int fd = put_into_memory(script);
  if (fd < 0) return fail({ExitCode::Uncontrolled, "cannot write the script for gdb"});

  // One execution needs no fresh start, and memory that is not watched gives gdb no signals to stop at.
  recording->launch.isolation = Isolation::Loop;
  recording->launch.backend = Backend::OsThread;
  std::vector<std::string> debugger = {options.debugger, "-q"};
  if (!options.debugger_commands.empty()) debugger.push_back("-batch");
  const auto before = [&](std::string text) { debugger.insert(debugger.end(), {"-iex", std::move(text)}); };
  before("set startup-with-shell off");
  before("set print thread-events off");
  before("set debuginfod enabled off");
  before("unset environment LINES");
  before("unset environment COLUMNS");
  before(fmt::format("python exec(open('/proc/self/fd/{}').read())", fd));
  for (const std::string& text : options.debugger_commands) debugger.insert(debugger.end(), {"-ex", text});
  if (options.debugger_commands.empty())
    debugger.insert(
        debugger.end(),
        {"-ex",
         "echo lockstep: type 'run' to replay the failure, 'lockstep next' to run to the next thread switch\\n"});
  const Result<int> ended = services.debug(recording->launch, recording->schedule.bug.plan, debugger);
  close(fd);
  return ended ? *ended : fail(ended.error());
}

}  // namespace lockstep
