#include <fmt/format.h>
#include <filesystem>
#include <thread>

#include "cli/commands.hpp"
#include "cli/focus.hpp"
#include "cli/interrupt.hpp"
#include "cli/run_tests.hpp"
#include "search/promotion.hpp"
#include "cli/session.hpp"
#include "cli/stored.hpp"
#include "report/fingerprint.hpp"
#include "report/progress.hpp"
#include "report/schedule_file.hpp"
#include "report/story.hpp"
#include "report/summary.hpp"
#include "report/wait_text.hpp"
#include "search/claims.hpp"
#include "report/user_code.hpp"
#include "target/trusted_code.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// In instrumented code, unless a race would neither be told nor make a scheduling point.
bool looks_for_races(const Options& options) {
  return options.races || options.points == Points::Auto || options.points >= Points::Racy || watches_memory(options.strategy.spec);
}

// One exploration from start to last words.
class Run {
 public:
  Run(const Options& options, const StrategyOptions& strategy_options, const Focus& focus, std::string program,
      std::unique_ptr<Strategy> strategy, Target& target, TestRun* test)
      : options_(options),
        strategy_options_(strategy_options),
        focus_(focus),
        test_(test),
        program_(std::move(program)),
        strategy_(std::move(strategy)),
        target_(target),
        session_(options),
        progress_(session_.human(), session_.terminal(), shows_progress()),
        out_(options.out.empty() ? default_out(options.command[0]) : options.out),
        promotion_(points_of(options, target) >= Points::Racy && strategy_->preempts_at_points()) {
    setting_ = {fs::path(options.command[0]).filename().string(), 0, points_of(options, target)};
  }

  int explore(const SavedRun* saved, Suppressions suppressions) {
    session_.suppress(std::move(suppressions), target_);
    ExplorerHooks hooks;
    hooks.save = [this](const auto& write) { save_exploration(write); };
    if (promotion_.wanted())
      hooks.promote = [this](TraceView trace) {
        return promotion_.grow(trace, [this](const DataRace& race) { return session_.suppressed(race, target_); });
      };
    hooks.distrusted = [this] { return target_.checkpoints_failed(); };
    hooks.errors = options_.errors;
    hooks.confirm = [this](Finding finding) { return confirm(std::move(finding)); };
    hooks.found = [this](const Finding& finding) { report(finding); };
    hooks.progress = [this](const Progress& progress) { tell(progress); };
    hooks.bound_finished = [this](uint32_t bound, uint64_t executions) { tell_bound(bound, executions); };
    hooks.interrupted = interrupted;
    const std::vector<Analysis*> analyses = session_.analyses();
    Exploration result;
    if (!saved && !test_ && options_.stored != Stored::Ignore) result = try_stored();
    if (!result.bugs.empty() && !options_.keep_going) {
      conclude(result);
      return exit_code(result);
    }
    for (const Finding& bug : result.bugs) hooks.known.insert(bug.fingerprint);
    if (saved) result.bugs = saved->bugs;
    const std::vector<Finding> again = std::move(result.bugs);
    bugs_told_ = again;
    saved_ = saved != nullptr;
    if (saved) {
      bugs_ = saved->bug_number;
      for (const Finding& bug : again) hooks.known.insert(bug.fingerprint);
      executions_before_ = result.executions = saved->executions_before;
      seconds_before_ = result.seconds = saved->seconds_before;
      warnings_before_ = result.warnings = saved->warnings;
      raced_before_ = result.raced = saved->raced_before;
      promotion_.go_on_with(saved->promoted);
      target_.promote(promotion_.in_use());
    }
    for (bool first = true;; first = false) {
      Explorer explorer(*strategy_, target_, analyses, remaining(result), options_.keep_going, hooks);
      if (saved && first) explorer.resume_from(saved->state);
      Exploration round = explorer.run();
      if (round.refused)
        return fail({ExitCode::Usage, fmt::format("{} does not fit this program and these options: start again with lockstep run", saved_run_path(out_))});
      result = first && !saved ? std::move(round) : together(std::move(result), std::move(round));
      if (!result.restart) break;
      start_over(hooks, result);
    }
    if (!again.empty()) result.verdict = Verdict::Bug;
    result.bugs.insert(result.bugs.begin(), again.begin(), again.end());
    progress_.clear();
    conclude(result);
    return exit_code(result);
  }

 private:
  // What earlier runs found. These executions are nobody's count; a bug met again keeps the number it was found at.
  Exploration try_stored() {
    Exploration result;
    const auto begin = std::chrono::steady_clock::now();
    for (const StoredSchedule& stored : stored_schedules(out_, options_.command)) {
      const bool same_build = same_program(stored.schedule.build, identify_program(program_));
      // The search comes across it as soon as the first time, and the run is like the first one.
      constexpr uint64_t kSoon = 1000;
      if (options_.stored == Stored::Auto && same_build && stored.schedule.bug.execution <= kSoon) continue;
      std::optional<Finding> found = replay_stored(session_, target_, stored, same_build);
      if (!found) continue;
      found->stored = true;
      bugs_ = std::max(bugs_, stored.number);
      introduce();
      if (!same_build)
        if (auto error = save(*found)) session_.warn(error->message);
      session_.print("\n" + tell_story(*found, session_.symbols(target_), {.terminal = session_.terminal()}));
      session_.print(fmt::format("\n  found again by the schedule of an earlier run, {}\n\n", stored.path));
      const TraceHeader& header = found->trace.view().header();
      result.steps_max = std::max(result.steps_max, header.decisions);
      result.threads_max = std::max(result.threads_max, header.threads);
      result.preemptions_max = std::max(result.preemptions_max, found->preemptions);
      result.bugs.push_back(std::move(*found));
      if (!options_.keep_going) break;
    }
    if (result.bugs.empty()) return result;
    result.verdict = Verdict::Bug;
    result.stopped_by = "the schedule of an earlier run";
    result.traces = result.redundant = 0;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  }

  static Points points_of(const Options& options, const Target& target) {
    if (!target.info().instrumented) return Points::Sync;
    if (options.points != Points::Auto) return options.points;
    return Points::Racy;
  }

  Budget remaining(const Exploration& spent) const {
    return left_of(budget_of(options_, *strategy_), spent);
  }

  void start_over(ExplorerHooks& hooks, const Exploration& so_far) {
    executions_before_ = so_far.executions;
    seconds_before_ = so_far.seconds;
    warnings_before_ = so_far.warnings;
    raced_before_ = so_far.raced;
    for (const Finding& bug : so_far.bugs) hooks.known.insert(bug.fingerprint);
    const size_t places_before = promotion_.in_use().places.size();
    const std::vector<uint64_t>& places = promotion_.start_over().places;
    target_.promote(promotion_.in_use());
    strategy_ = std::move(*make_strategy(strategy_options_));
    progress_.clear();
    introduce();
    if (!options_.quiet && places.size() == places_before) session_.print("  starting over without checkpoints\n");
    if (!options_.quiet && places.size() != places_before)
      session_.print(fmt::format("  {} now; starting over\n",
                                 places.size() == 1 ? "1 access is a scheduling point" : fmt::format("{} accesses are scheduling points", places.size())));
  }

  bool shows_progress() const {
    if (options_.progress != When::Auto) return options_.progress == When::Always;
    return !options_.quiet && isatty(fileno(session_.human()));
  }

  // Late, because how many threads there are shows only once the program ran.
  void introduce() {
    if (introduced_ || options_.quiet || test_) return;
    introduced_ = true;
    setting_.threads = static_cast<unsigned>(target_.threads().size());
    session_.print(header_line(setting_, session_.terminal()));
  }

  void tell(const Progress& progress) {
    introduce();
    progress_.update(progress);
  }

  void tell_bound(uint32_t bound, uint64_t executions) {
    if (options_.quiet || bugs_ > 0) return;
    progress_.clear();
    introduce();
    session_.print(bound_line(bound, executions));
  }

  std::optional<Finding> confirm(Finding finding) {
    finding.schedule = fmt::format("{}/bug-{}.lockstep", out_, bugs_ + 1);
    finding.execution += executions_before_;
    if (test_) finding.test = test_->name;
    std::optional<Finding> found = session_.reproduce(target_, std::move(finding), true);
    if (!found || options_.no_shrink) return found;
    return session_.simplify(target_, *found, strategy_->preemptions_completed());
  }

  void report(const Finding& finding) {
    ++bugs_;
    progress_.clear();
    introduce();
    Finding told = finding;
    if (test_) session_.print(fmt::format("\n{}\n", session_.terminal().paint("1", test_->name)));
    if (auto error = save(finding)) {
      session_.warn(error->message + "; it cannot be replayed");
      unsaved_.insert(finding.schedule);
      told.schedule.clear();
    }
    bugs_told_.push_back(told);
    bugs_told_.back().trace = {};
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
    schedule.timeouts = options_.timeouts;
    schedule.spurious = options_.spurious;
    schedule.promoted = promotion_.in_use().places;
    if (options_.input) schedule.input = options_.input->bytes(kRecordedInput);
    schedule.bug = finding;
    schedule.threads = target_.threads();
    schedule.operations = record_operations(names);
    schedule.operations_total = finding.trace.view().header().steps;
    return save_schedule(schedule, finding.schedule);
  }

  void save_exploration(const std::function<void(StateWriter&)>& state) {
    std::error_code ignored;
    for (fs::path folder = out_; !folder.empty() && !fs::exists(folder, ignored); folder = folder.parent_path()) made_.push_back(folder);
    fs::create_directories(out_, ignored);
    const SavedRun run{options_.arguments, options_.environment, fs::current_path(ignored).string(),
                       identify_program(program_), target_.threads(), promotion_.in_use(),
                       executions_before_, seconds_before_, bugs_told_, warnings_before_, raced_before_, bugs_, {}};
    const std::optional<Error> error = save_run(run, state, saved_run_path(out_));
    if (error) session_.warn(error->message + "; what was saved before is still there");
    saved_ = saved_ || !error;
  }

  // What is finished needs no resuming; what is not can go on. What could not be saved is no reason to lose what was.
  void offer_to_resume(const Exploration& result) {
    std::error_code ignored;
    const bool goes_on = options_.keep_going && (result.interrupted || !result.uncontrolled.empty());
    if (result.complete || (!result.bugs.empty() && !goes_on)) {
      remove_saved_run(saved_run_path(out_));
      if (fs::is_empty(out_, ignored) && !ignored) fs::remove(out_, ignored);
      for (const fs::path& folder : made_) fs::remove(folder, ignored);  // unless there is something in it
    } else if (saved_ && !options_.quiet && (!test_ || result.interrupted)) {
      session_.print(fmt::format("\n  resume  lockstep resume {}\n", out_));
    }
  }

  void conclude(Exploration& result) {
    introduce();
    for (const std::string& warning : target_.warnings()) session_.warn(warning);
    for (const std::string& warning : focus_.remarks()) session_.warn(warning);
    if (warn_of_native_loops() && !result.guarantee.empty()) result.guarantee += ", as far as it does not depend on what such loops read";
    for (Finding& warning : result.warnings) complete(warning);
    // Who is told of the deadlock need not be told that there may be one.
    if (!options_.keep_going && std::any_of(result.bugs.begin(), result.bugs.end(), [](const Finding& bug) { return bug.kind == FindingKind::Deadlock; }))
      std::erase_if(result.warnings, [](const Finding& warning) { return warning.kind == FindingKind::LockOrder; });
    promote_warnings(result);
    // Either there are no races, or the racing accesses are scheduling points: then nothing was missed.
    if (target_.info().instrumented && looks_for_races(options_) && promotion_.complete() && (!result.raced || promotion_.wanted()))
      result.guarantee = without_proviso(std::move(result.guarantee));
    if (setting_.points == Points::Sync) result.guarantee = but_for_atomics(std::move(result.guarantee));
    note_discipline(result);
    if (!options_.trusted.empty() && !result.guarantee.empty()) result.guarantee += ", none of them in trusted code";
    if (options_.races && result.without_races > 0 && !result.guarantee.empty())
      result.guarantee += fmt::format("; data races were looked for in {} only",
                                      plural(result.executions - std::min(result.executions, result.without_races), "execution"));
    for (const Finding& warning : result.warnings) session_.warn(warning.message);
    if (result.diverged > 0)
      session_.warn(fmt::format(
          "{} did not follow the schedule, not even when tried again, and what lies there is not covered: execution depends on {}",
          plural(result.diverged, "execution"), target_.dependence()));
    else if (result.unrepeated > 0)
      session_.warn(fmt::format("{}: execution depends on {}", told_losses(result.unrepeated, 0, 0), target_.dependence()));
    for (Finding& bug : result.bugs)
      if (unsaved_.contains(bug.schedule)) bug.schedule.clear();
    if (test_)
      conclude_test(result);
    else if (!options_.quiet || result.verdict == Verdict::Uncontrolled)
      session_.print(final_lines(result, setting_, session_.terminal()));
    if (result.verdict == Verdict::Uncontrolled) session_.print_stack(target_, result.uncontrolled_stack);
    if (test_) {
      offer_to_resume(result);
      *test_ = {test_->name, test_->width, result, session_.warnings(), name_of(target_.info().isolation), true};
      return;
    }
    session_.write_results({options_.command, options_.strategy.spec.substr(0, options_.strategy.spec.find(':')),
                         name_of(target_.info().isolation), session_.warnings()},
                        result);
    offer_to_resume(result);  // once the result is written: until then a kill leaves something to resume
  }

  bool warn_of_native_loops() {
    for (const uint64_t jump : target_.native_loops()) {
      const uint64_t stack[] = {jump + 1};
      const std::optional<Frame> frame = innermost_user_frame(stack, session_.symbols(target_));
      if (!frame) continue;
      const std::string place = long_place(frame->where);
      session_.warn(fmt::format("{}{} waits for other threads in a loop that is not instrumented: it is taken to yield in every round, "
                                "and what it reads is not under control",
                                frame->where.function, place.empty() ? "" : " (" + place + ")"));
    }
    return !target_.native_loops().empty();
  }

  // Orders of atomic blocks are all there is only for programs that lock what they share.
  void note_discipline(Exploration& result) const {
    const bool broken = std::any_of(result.warnings.begin(), result.warnings.end(),
                                    [](const Finding& w) { return w.kind == FindingKind::LockDiscipline; });
    if (result.guarantee.starts_with("every order of atomic blocks") && (broken || result.raced) && !result.guarantee.empty())
      result.guarantee = without_proviso(std::move(result.guarantee)) +
                         "; memory is shared without a common lock, so there are executions beyond these";
  }

  // A warning says where, which only a replay can tell.
  void complete(Finding& warning) {
    constexpr unsigned kMostReplayed = 20;
    if (warning.trace.empty() || warning.kind == FindingKind::Nondeterminism || ++replayed_ > kMostReplayed) return;
    if (auto found = session_.reproduce(target_, warning, true)) warning = std::move(*found);
    if (!warning.doubt.empty())
      warning.message = fmt::format("possible {}; not certain, because {} synchronises in a way that cannot be seen: it is not instrumented",
                                    warning.message, warning.doubt);
  }

  void conclude_test(const Exploration& result) {
    if (options_.quiet && result.verdict != Verdict::Uncontrolled) return;
    session_.print(fmt::format("  {:{}}  {}\n", test_->name, test_->width, test_line(result, session_.terminal())));
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
        warning.fingerprint = fingerprint_of(warning, TraceNames(warning.trace, session_.symbols(target_)));
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
  const StrategyOptions& strategy_options_;  // with what is to be focused on
  const Focus& focus_;
  TestRun* const test_;        // this is the exploration of one test case; otherwise of a whole program
  const std::string program_;  // path of the executable
  std::unique_ptr<Strategy> strategy_;
  Target& target_;
  Session session_;
  ProgressLine progress_;
  const std::string out_;
  Promotion promotion_;
  uint64_t executions_before_ = 0;  // of searches given up because there are more scheduling points now
  double seconds_before_ = 0;
  Setting setting_;
  bool introduced_ = false, saved_ = false;
  unsigned bugs_ = 0, replayed_ = 0;
  std::set<std::string> unsaved_;
  std::vector<Finding> bugs_told_;        // for who resumes this
  std::vector<Finding> warnings_before_;  // of searches given up
  bool raced_before_ = false;
  std::vector<fs::path> made_;  // folders for what is saved, the innermost first
};

int start_run(Options options, const World& world, const SavedRun* saved, TestRun* test) {
  catch_interrupts();  // before anything takes long: from here on an interrupt ends it as it should
  Focus focus(options);
  StrategyOptions strategy_options = options.strategy;
  focus.install(strategy_options);
  strategy_options.workers = options.workers ? options.workers : std::max(1u, std::thread::hardware_concurrency());
  Result<std::unique_ptr<Strategy>> strategy = make_strategy(strategy_options);
  if (!strategy) return fail(strategy.error());
  Result<std::string> program = world.find_program(options.command[0]);
  if (!program) return fail(program.error());
  if (auto error = check_writable_folder(options.out.empty() ? default_out(options.command[0]) : options.out))
    return fail(*error);
  for (const std::string& file : {options.json, options.junit, options.sarif})
    if (!file.empty() && file != "-")
      if (auto error = check_writable_file(file)) return fail(*error);
  Result<std::string> runtime = world.find_runtime();
  if (!runtime) return fail(runtime.error());

  Result<Suppressions> suppressions = load_suppressions(options);
  if (!suppressions) return fail(suppressions.error());

  if (!options.input) options.input = ProgramInput::from_standard_input(*program);
  if (!test && !saved && world.list_tests)
    if (const auto list = world.list_tests(*program, options.command, *runtime);
        list && (options.each_test || list->tests.empty()))
      return run_tests(options, world, *list);

  TargetOptions target_options;
  target_options.command = options.command;
  target_options.runtime_library = *runtime;
  target_options.isolation = options.isolation;
  target_options.backend = options.backend;
  target_options.checkpoints = options.checkpoints;
  target_options.points = options.points;
  target_options.timeouts = options.timeouts;
  target_options.spurious = options.spurious;
  target_options.prime = options.prime;
  target_options.input = options.input;
  target_options.detect_races = looks_for_races(options);
  target_options.check_locks = options.lock_discipline || options.errors.contains(FindingKind::LockDiscipline) ||
                               (*strategy)->relies_on_locks();
  target_options.find_leaks = options.leaks;
  target_options.workers = strategy_options.workers;
  target_options.max_steps = options.steps;
  // A program that hangs is named before its time is up, however short that is.
  if (options.time) target_options.watchdog = std::clamp(*options.time / 2, std::chrono::milliseconds(500), target_options.watchdog);
  if (saved) target_options.threads = saved->threads;
  Result<std::unique_ptr<Target>> target = world.start(std::move(target_options));
  if (!target) return fail(target.error());
  focus.watch(**target);
  if (!options.trusted.empty()) {
    const std::vector<CodeRange> code = find_code((*target)->modules(), options.trusted);
    if (code.empty()) return fail({ExitCode::Usage, "--trust: no function or module of the program matches"});
    if (code.size() > kMaxTrusted) return fail({ExitCode::Usage, fmt::format("--trust: more than {} functions match", kMaxTrusted)});
    (*target)->trust(code);
  }
  return Run(options, strategy_options, focus, *program, std::move(*strategy), **target, test).explore(saved, std::move(*suppressions));
}

}  // namespace

int run_command(const Options& options, const World& world) { return start_run(options, world, nullptr, nullptr); }
int run_command(const Options& options, const World& world, const SavedRun& saved) { return start_run(options, world, &saved, nullptr); }
int run_test(const Options& options, const World& world, TestRun& test) { return start_run(options, world, nullptr, &test); }

}  // namespace lockstep
