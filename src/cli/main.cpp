// The main function of `lockstep`: parses options and calls the command.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/parse.hpp"
#include "cli/paths.hpp"
#include "work/job_description.hpp"
#include "work/queued_target.hpp"

using namespace lockstep;

namespace {

int run_words(int argc, char** argv) {
  const char* environment = std::getenv("LOCKSTEP_OPTIONS");
  const Surroundings surroundings{environment ? environment : ""};
  const auto start = [](TargetOptions options) {
    if (options.beside_queue) prepare_for_other_machines(options);
    return options.queue.empty() ? Target::start(std::move(options))
                                 : start_queued_target(std::move(options), Target::start);
  };
  const Services services{find_program, find_runtime_library, start, debug_target, is_built_for_lockstep, list_tests};

  Result<ParsedCommand> command = parse_command_line({argv + 1, argv + argc}, surroundings);
  if (!command) return fail(command.error());
  if (auto* show = std::get_if<ShowText>(&*command)) {
    std::fputs(show->text.c_str(), stdout);
    return 0;
  }
  if (auto* run = std::get_if<RunCommand>(&*command)) {
    run->options.arguments.assign(argv + 1, argv + argc);
    run->options.environment = surroundings.environment;
    keep_drawn_seed(run->options);
    if (!run->hint.empty() && !run->options.quiet) std::fprintf(stderr, "lockstep: note: %s\n", run->hint.c_str());
    return run_command(run->options, services);
  }
  if (auto* resume = std::get_if<ResumeCommand>(&*command)) return resume_command(resume->folder, services);
  if (auto* replay = std::get_if<ReplayCommand>(&*command)) return replay_command(replay->options, services);
  if (auto* shrink = std::get_if<ShrinkCommand>(&*command)) return shrink_command(shrink->options, services);
  if (auto* explain = std::get_if<ExplainCommand>(&*command)) return explain_command(explain->options, services);
  if (auto* debug = std::get_if<DebugCommand>(&*command)) return debug_command(debug->options, services);
  if (auto* work = std::get_if<WorkCommand>(&*command)) return work_command(work->options, services);
  const auto& list = std::get<ListCommand>(*command);
  if (list.what == "tests") return list_tests_command(list.program, services);
  return list_command(list.what, list.json);
}

// Output must not get lost silently, unless nobody reads it: a closed pager, a closed descriptor.
int check_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  pollfd output{STDOUT_FILENO, 0, 0};
  if (poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLNVAL)) != 0) return code;
  std::fputs("lockstep: cannot write to standard output\n", stderr);
  return code != 0 ? code : static_cast<int>(ExitCode::Usage);
}

}  // namespace

int main(int argc, char** argv) { return check_output(run_words(argc, argv)); }
