// The command `lockstep resume`: continues a saved exploration.
#include <fmt/format.h>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/parse.hpp"

namespace lockstep {

int resume_command(const std::string& folder, const Services& services) {
  catch_interrupts();
  Result<SavedExploration> saved = load_saved_exploration(saved_exploration_path(folder));
  if (!saved) return fail(saved.error());
  std::error_code error;
  std::filesystem::current_path(saved->cwd, error);
  if (error)
    return fail({ExitCode::Usage,
                 fmt::format("cannot enter {}, where the exploration was started: {}", saved->cwd, error.message())});
  Result<ParsedCommand> command = parse_command_line(saved->arguments, {saved->environment});
  if (!command) return fail(command.error());
  auto* run = std::get_if<RunCommand>(&*command);
  if (!run) return fail({ExitCode::Usage, fmt::format("{} holds no saved exploration", folder)});
  run->options.arguments = saved->arguments;
  run->options.environment = saved->environment;
  Result<std::string> program = services.find_program(run->options.command[0]);
  if (!program) return fail(program.error());
  if (!same_program(identify_program(*program), saved->build))
    return fail({ExitCode::Usage,
                 fmt::format("{} has changed since the exploration was interrupted; start again with 'lockstep run'",
                             run->options.command[0])});
  return run_command(run->options, services, *saved);
}

}  // namespace lockstep
