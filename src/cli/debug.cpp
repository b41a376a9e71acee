// The command `lockstep debug`: replays a schedule under gdb.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "campaign/code_places.hpp"
#include "campaign/replayer.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/paths.hpp"
#include "cli/recorded_program.hpp"
#include "report/debugger_data.hpp"
#include "report/story.hpp"
#include "target/launch.hpp"

namespace lockstep {
namespace {

std::string python_text(const std::string& text) {
  std::string quoted = "'";
  for (const unsigned char c : text) {
    if (c == '\'' || c == '\\' || c < 0x20)
      quoted += fmt::format("\\x{:02x}", c);
    else
      quoted += static_cast<char>(c);
  }
  return quoted + "'";
}

// gdb reads the text from this descriptor, which must stay open until gdb has ended.
int put_into_memory(const std::string& text) {
  const int fd = memfd_create("lockstep-gdb", 0);
  for (size_t done = 0; fd >= 0 && done < text.size();) {
    const ssize_t bytes = write(fd, text.data() + done, text.size() - done);
    if (bytes <= 0) return -1;
    done += static_cast<size_t>(bytes);
  }
  return fd;
}

// The failure, from a replay without the debugger. The replay also finds the scheduling points.
Result<std::string> replay_for_debugger(const Options& options, RecordedProgram& recording, const Services& services) {
  Result<std::unique_ptr<Target>> target = services.start(recording.launch);
  if (!target) return target.error();
  Options plain = options;
  plain.color = When::Never;
  Console console(plain);
  recording.launch.promoted.places = addresses_of((*target)->modules(), recording.schedule.promoted);
  (*target)->promote(recording.launch.promoted);
  Replayer replayer(**target, options.races, {}, recording.schedule.expected_output);
  std::optional<Finding> found = replayer.reproduce(recording.schedule.bug, false);
  if (!found) return std::string();
  replayer.explain(*found, {});
  replayer.observe(*found);
  found->schedule = options.schedule;
  const std::string story =
      tell_story(*found, replayer.symbols(), {.terminal = console.terminal(), .replayed = true, .row_limit = 400});
  return debugger_data(*found, replayer.symbols(), story);
}

std::vector<std::string> debugger_command(const Options& options, const std::string& scripts, int data) {
  const bool has_front_end = options.interpreter.starts_with("mi");
  std::vector<std::string> command = {options.debugger, "-q"};
  if (!options.interpreter.empty()) command.push_back("--interpreter=" + options.interpreter);
  if (!options.debugger_commands.empty()) command.push_back("-batch");
  command.insert(command.end(), options.debugger_options.begin(), options.debugger_options.end());
  const auto before = [&](std::string text) { command.insert(command.end(), {"-iex", std::move(text)}); };
  before("set print thread-events off");
  before("set debuginfod enabled off");
  for (const char* variable : {"LINES", "COLUMNS", "LOCKSTEP_OPTIONS"})
    before(fmt::format("unset environment {}", variable));
  before(fmt::format("python LOCKSTEP_DATA = '/proc/self/fd/{}'; LOCKSTEP_SHARED = ({}, {}); LOCKSTEP_FRONT_END = {}",
                     data, kChannelFd, kTableFd, has_front_end ? "True" : "False"));
  before(fmt::format("python import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {}); import lockstep_gdb",
                     python_text(scripts)));
  if (!has_front_end) command.insert(command.end(), {"-ex", "lockstep failure"});
  for (const std::string& text : options.debugger_commands) command.insert(command.end(), {"-ex", text});
  return command;
}

}  // namespace

int debug_command(const Options& given, const Services& services) {
  Options options = given;
  Result<std::string> scripts = find_gdb_scripts();
  if (!scripts) return fail(scripts.error());
  Result<RecordedProgram> recording = read_recorded_program(options, services);
  if (!recording) return fail(recording.error());
  if (recording->changed)
    fmt::print(stderr, "lockstep: warning: {} has changed since the schedule was recorded\n", recording->program);
  const Result<std::string> data = replay_for_debugger(options, *recording, services);
  if (!data) return fail(data.error());
  if (data->empty()) {
    fmt::print(stderr,
               "lockstep: warning: the failure did not reproduce; 'lockstep replay' shows where the program departs "
               "from the recording\n");
    return static_cast<int>(ExitCode::NoBug);
  }
  const int fd = put_into_memory(*data);
  if (fd < 0) return fail({ExitCode::Uncontrolled, "cannot write the recording for gdb"});

  // A single execution needs no fresh start. Without watched memory, gdb sees no signals from it.
  recording->launch.isolation = Isolation::Loop;
  recording->launch.backend = Backend::OsThread;
  Plan plan = recording->schedule.bug.plan;
  plan.detail = true;  // records every step, so that gdb can stop at each
  const Result<int> ended = services.debug(recording->launch, plan, debugger_command(options, *scripts, fd));
  close(fd);
  return ended ? *ended : fail(ended.error());
}

}  // namespace lockstep
