#include <fmt/format.h>
#include <filesystem>
#include <thread>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/session.hpp"
#include "report/fingerprint.hpp"
#include "report/progress.hpp"
#include "report/schedule_file.hpp"
#include "report/story.hpp"
#include "report/summary.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// One exploration from start to last words.
class Run {
 public:
  Run(const Options& options, std::string program, Strategy& strategy, Target& target)
      : options_(options),
        program_(std::move(program)),
        strategy_(strategy),
        target_(target),
        session_(options),
        progress_(session_.human(), session_.terminal(), shows_progress()),
        out_(options.out.empty() ? default_out(options.command[0]) : options.out) {
    const bool sync_only =
        options.points == Points::Sync || (options.points == Points::Auto && !target.info().instrumented);
    setting_ = {fs::path(options.command[0]).filename().string(), 0, sync_only ? Points::Sync : Points::Atomics};
  }

  int explore(Suppressions suppressions) {
    session_.suppress(std::move(suppressions), target_);
    ExplorerHooks hooks;
    hooks.confirm = [this](Finding finding) { return confirm(std::move(finding)); };
    hooks.found = [this](const Finding& finding) { report(finding); };
    hooks.progress = [this](const Progress& progress) { tell(progress); };
    hooks.interrupted = interrupted;
    const std::vector<Analysis*> analyses = session_.analyses();
    Explorer explorer(strategy_, target_, analyses, budget_of(options_, strategy_), options_.keep_going, hooks);
    Exploration result = explorer.run();
    progress_.clear();
    conclude(result);
    return exit_code(result);
  }

 private:
  bool shows_progress() const {
    if (options_.progress != When::Auto) return options_.progress == When::Always;
    return !options_.quiet && isatty(fileno(session_.human()));
  }

  // Late, because how many threads there are shows only once the program ran.
  void introduce() {
    if (introduced_ || options_.quiet) return;
    introduced_ = true;
    setting_.threads = static_cast<unsigned>(target_.threads().size());
    session_.print(header_line(setting_, session_.terminal()));
  }

  void tell(const Progress& progress) {
    introduce();
    progress_.update(progress);
  }

  std::optional<Finding> confirm(Finding finding) {
    finding.schedule = fmt::format("{}/bug-{}.lockstep", out_, bugs_ + 1);
    return session_.reproduce(target_, std::move(finding), true);
  }

  void report(const Finding& finding) {
    ++bugs_;
    progress_.clear();
    introduce();
    Finding told = finding;
    if (auto error = save(finding)) {
      session_.warn(error->message + "; it cannot be replayed");
      unsaved_.insert(finding.schedule);
      told.schedule.clear();
    }
    StoryOptions options{.terminal = session_.terminal()};
    session_.print("\n" + tell_story(told, session_.symbols(target_), options) + "\n");
  }

  std::optional<Error> save(const Finding& finding) {
    std::error_code error;
    fs::create_directories(out_, error);
    if (error) return Error{ExitCode::Usage, fmt::format("cannot create {}: {}", out_, error.message())};
    const TraceNames names(finding.trace, session_.symbols(target_));
    ScheduleFile schedule;
    schedule.program = options_.command;
    schedule.cwd = fs::current_path(error).string();
    schedule.build = identify_program(program_);
    schedule.isolation = target_.info().isolation;
    schedule.backend = options_.backend;
    schedule.points = options_.points;
    schedule.bug = finding;
    schedule.threads = target_.threads();
    schedule.operations = record_operations(names);
    schedule.operations_total = finding.trace.view().header().steps;
    return save_schedule(schedule, finding.schedule);
  }

  void conclude(Exploration& result) {
    introduce();
    for (const std::string& warning : target_.warnings()) session_.warn(warning);
    promote_warnings(result);
    for (const Finding& warning : result.warnings) session_.warn(warning.message);
    if (result.diverged > 0)
      session_.warn(
          fmt::format("{} did not follow their schedule: the program does something that is not under control",
                      plural(result.diverged, "execution")));
    for (Finding& bug : result.bugs)
      if (unsaved_.contains(bug.schedule)) bug.schedule.clear();
    if (!options_.quiet || result.verdict == Verdict::Uncontrolled)
      session_.print(final_lines(result, setting_, session_.terminal()));
    session_.write_json({options_.command, options_.strategy.spec.substr(0, options_.strategy.spec.find(':')),
                         name_of(target_.info().isolation), session_.warnings()},
                        result);
  }

  // Warnings that the user wants to be bugs (--error KIND).
  void promote_warnings(Exploration& result) {
    std::vector<Finding> rest;
    for (Finding& warning : result.warnings) {
      if (!options_.errors.contains(warning.kind)) {
        rest.push_back(std::move(warning));
        continue;
      }
      if (warning.fingerprint.empty() && !warning.trace.empty())
        warning.fingerprint = fingerprint_of(warning.kind, TraceNames(warning.trace, session_.symbols(target_)));
      session_.print(fmt::format("\n{}: {}\n\n", name_of(warning.kind), warning.message));
      result.bugs.push_back(std::move(warning));
      result.verdict = Verdict::Bug;
    }
    result.warnings = std::move(rest);
  }

  int exit_code(const Exploration& result) const {
    ExitCode code = ExitCode::NoBug;
    if (result.verdict == Verdict::Bug)
      code = ExitCode::Bug;
    else if (result.interrupted)
      code = ExitCode::Interrupted;
    else if (result.verdict == Verdict::Uncontrolled)
      code = ExitCode::Uncontrolled;
    else if (options_.require_complete && !result.complete)
      code = ExitCode::Incomplete;
    return static_cast<int>(code);
  }

  const Options& options_;
  const std::string program_;  // path of the executable
  Strategy& strategy_;
  Target& target_;
  Session session_;
  ProgressLine progress_;
  const std::string out_;
  Setting setting_;
  bool introduced_ = false;
  unsigned bugs_ = 0;
  std::set<std::string> unsaved_;
};

}  // namespace

int run_command(const Options& options, const World& world) {
  Result<std::unique_ptr<Strategy>> strategy = make_strategy(options.strategy);
  if (!strategy) return fail(strategy.error());
  Result<std::string> program = world.find_program(options.command[0]);
  if (!program) return fail(program.error());
  if (auto error = check_writable_folder(options.out.empty() ? default_out(options.command[0]) : options.out))
    return fail(*error);
  if (!options.json.empty() && options.json != "-")
    if (auto error = check_writable_file(options.json)) return fail(*error);
  Result<std::string> runtime = world.find_runtime();
  if (!runtime) return fail(runtime.error());

  Result<Suppressions> suppressions = load_suppressions(options);
  if (!suppressions) return fail(suppressions.error());

  TargetOptions target_options;
  target_options.command = options.command;
  target_options.runtime_library = *runtime;
  target_options.isolation = options.isolation;
  target_options.backend = options.backend;
  target_options.points = options.points;
  target_options.detect_races = options.races;
  target_options.workers = options.workers ? options.workers : std::max(1u, std::thread::hardware_concurrency());
  target_options.max_steps = options.steps;
  catch_interrupts();
  Result<std::unique_ptr<Target>> target = world.start(std::move(target_options));
  if (!target) return fail(target.error());
  return Run(options, *program, **strategy, **target).explore(std::move(*suppressions));
}

}  // namespace lockstep
