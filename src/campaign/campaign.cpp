// Runs a campaign: starts the program, explores it in rounds and concludes the result.
#include "campaign/campaign.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <thread>

#include "campaign/exploration_sum.hpp"
#include "campaign/livelock_escape.hpp"
#include "campaign/stored_schedules.hpp"
#include "campaign/target_setup.hpp"
#include "model/text_lines.hpp"
#include "report/fingerprint.hpp"
#include "report/trace_names.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

Points points_in_use(Points wanted, const Target& target) {
  if (!target.info().instrumented) return Points::Sync;
  return wanted == Points::Auto ? Points::Racy : wanted;
}

}  // namespace

Result<std::unique_ptr<Campaign>> Campaign::start(const CampaignOptions& options, const Subject& subject,
                                                  const StartTarget& start, CampaignListener& listener,
                                                  const SavedExploration* saved) {
  (void)cpus_at_start();
  Focus focus(options);
  StrategyOptions strategy_options = options.strategy;
  focus.install(strategy_options);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  // Workers share everything outside the program, which commands change.
  strategy_options.workers = options.workers.value_or(options.runs_commands() ? 1 : cores);
  if (!options.queue.empty()) strategy_options.workers = std::max(2u, strategy_options.workers);
  strategy_options.divided = true;
  strategy_options.budget_given = options.executions || options.time;
  Result<std::unique_ptr<Search>> search = make_strategy(strategy_options);
  if (!search) return search.error();
  Result<Suppressions> suppressions =
      options.suppressions.empty() ? Suppressions() : Suppressions::load(options.suppressions);
  if (!suppressions) return suppressions.error();
  const auto deadline = std::make_shared<const Deadline>(
      options.began, budget_of(options, **search).time, [&listener] { return listener.interrupted(); }, options.latest);
  TargetOptions how = target_options(options, subject, strategy_options, **search, deadline, saved);
  how.notify = [&listener](const std::string& text) { listener.warn(text); };
  Result<std::unique_ptr<Target>> target = start(std::move(how));
  if (!target) return target.error();
  focus.watch(**target);
  if (auto error = choose_code(**target, options)) return *error;
  return std::unique_ptr<Campaign>(new Campaign(options, subject, start, std::move(strategy_options), std::move(focus),
                                                std::move(*search), std::move(*target), deadline,
                                                std::move(*suppressions), listener, saved));
}

Campaign::Campaign(const CampaignOptions& options, const Subject& subject, StartTarget start_target,
                   StrategyOptions strategy_options, Focus focus, std::unique_ptr<Search> search,
                   std::unique_ptr<Target> target, std::shared_ptr<const Deadline> deadline, Suppressions suppressions,
                   CampaignListener& listener, const SavedExploration* saved)
    : options_(options),
      subject_(subject),
      start_target_(std::move(start_target)),
      strategy_options_(std::move(strategy_options)),
      focus_(std::move(focus)),
      search_(std::move(search)),
      target_(std::move(target)),
      deadline_(std::move(deadline)),
      listener_(listener),
      saved_(saved),
      program_watch_(subject.body ? std::string() : subject.program),
      replayer_(*target_, options.races, std::move(suppressions), options.expected_output),
      points_(points_in_use(options.points, *target_)),
      promotion_(points_ >= Points::Racy && search_->traits().preempts_at_points),
      spurious_(options.spurious.value_or(0)),
      max_delay_ms_(options.max_delay_ms),
      has_saved_state_(saved != nullptr) {}

ExplorerHooks Campaign::hooks() {
  ExplorerHooks hooks;
  if (!options_.arguments.empty()) hooks.save = [this](const auto& write) { save_exploration(write); };
  // A race whose report is suppressed still needs its accesses as scheduling points.
  if (promotion_.wanted())
    hooks.promote = [this](TraceView trace) {
      return promotion_.grow(trace, [this](const DataRace& race) { return replayer_.is_library_race(race); });
    };
  hooks.add_points = [this] { use_new_points(); };
  if (strategy_options_.workers > 1) hooks.start_crew = [this] { return start_crew(); };
  if (!options_.queue.empty()) hooks.longest_for_crew *= 2;  // workers elsewhere answer later
  if (!options_.keep_going) {
    hooks.goes_on = [this](const Finding& bug) { return goes_on_after(bug); };
    hooks.has_enough = [this](uint64_t executions) {
      return causes_.begun() && causes_.is_over(executions_before_ + executions, deadline_->seconds());
    };
  }
  hooks.distrusted = [this] { return target_->checkpoints_failed(); };
  hooks.errors = options_.errors;
  hooks.preemption_bound = options_.strategy.preemptions;
  hooks.confirm = [this](Finding finding) { return confirm(std::move(finding)); };
  hooks.complete_warning = [this](Finding& warning) { complete_warning(warning); };
  hooks.found = [this](const Finding& finding) { report(finding); };
  hooks.progress = [this](Progress progress) {
    progress.executions_before = executions_before_;
    progress.machines = target_->machines();
    progress.units_waiting = target_->units_waiting();
    for (const Coverage::Level& level : coverage_.levels())
      progress.levels.push_back({level.preemptions, level.executions, level.traces});
    listener_.progress(progress);
  };
  hooks.bound_finished = [this](uint32_t bound, uint64_t executions) {
    if (bug_number_ == 0) listener_.bound_finished(bound, executions);
  };
  hooks.interrupted = [this] { return must_stop(); };
  if (options_.coverage)
    hooks.executed = [this](uint64_t fingerprint, uint32_t preemptions, uint64_t execution, double) {
      coverage_.add(fingerprint, preemptions, executions_before_ + execution, seconds_so_far());
    };
  if (!options_.outputs.empty())
    hooks.ended = [this](TraceView trace, const Plan& plan, uint64_t execution) {
      outputs_.add(trace, plan, executions_before_ + execution);
    };
  hooks.complete_evidence = [this](Evidence& evidence) { complete_evidence(evidence); };
  return hooks;
}

Result<Exploration> Campaign::run() {
  Exploration stored;
  if (!saved_ && options_.stored != Stored::Ignore) replay_stored_schedules(stored);
  if (!stored.bugs.empty() && !options_.keep_going) {
    conclude(stored);
    return stored;
  }
  ExplorerHooks hooks = this->hooks();
  if (saved_) resume_from_saved();
  hooks.starts_before = starts_;
  const std::vector<Finding>& again = saved_ ? saved_->bugs : stored.bugs;
  reported_ = again;
  for (const Finding& bug : again) hooks.known.insert(bug.fingerprint);
  Result<Exploration> result = explore_all(std::move(hooks));
  if (!result) return result;
  if (!again.empty()) result->verdict = Verdict::Bug;
  result->bugs.insert(result->bugs.begin(), again.begin(), again.end());
  tell_causes(*result);
  conclude(*result);
  return result;
}

// Replays the failing schedules of earlier runs. These executions are not counted. A bug found again keeps the number
// of the execution that found it first.
void Campaign::replay_stored_schedules(Exploration& result) {
  for (const StoredSchedule& stored : stored_schedules(options_.out, options_.command)) {
    if (deadline_->is_over()) break;
    if (stored.schedule.explore_call != options_.explore_call) continue;
    const bool same_build = same_program(stored.schedule.build, identify_program(subject_.program));
    // The search finds the bug as soon as it did then, so the run behaves like the first one.
    constexpr uint64_t kSoon = 1000;
    if (options_.stored == Stored::Auto && same_build && stored.schedule.bug.execution <= kSoon) continue;
    std::optional<Finding> found = replay_stored(replayer_, stored, same_build);
    const auto& bound = options_.strategy.preemptions;
    if (!found || (bound && found->preemptions > *bound)) continue;
    found->stored = true;
    bug_number_ = std::max(bug_number_, stored.number);
    if (!same_build)
      if (auto error = save_schedule_of(*found)) listener_.warn(error->message);
    listener_.found(*found);
    const TraceHeader& header = found->trace.view().header();
    result.steps_max = std::max(result.steps_max, header.decisions);
    result.threads_max = std::max(result.threads_max, header.threads);
    result.preemptions_max = std::max(result.preemptions_max, found->preemptions);
    result.bugs.push_back(std::move(*found));
    if (!options_.keep_going) break;
  }
  if (result.bugs.empty()) return;
  result.verdict = Verdict::Bug;
  result.ending = Ending::FirstBug;
  result.claim.ended_by_bug = true;
  result.traces = result.redundant = 0;
}

void Campaign::resume_from_saved() {
  bug_number_ = saved_->bug_number;
  executions_before_ = saved_->executions_before;
  warnings_before_ = saved_->warnings;
  raced_before_ = saved_->raced_before;
  promotion_.go_on_with(saved_->promoted, saved_->found_racy);
  starts_ = saved_->starts;
  coverage_ = saved_->coverage;
  target_->promote(promotion_.in_use());
}

// Explores without spurious wakeups, unless the options ask for them. Under `auto` one spurious wakeup and longer
// delays follow.
Result<Exploration> Campaign::explore_all(ExplorerHooks hooks) {
  Exploration before;
  before.executions = executions_before_;
  before.warnings = warnings_before_;
  before.raced = raced_before_;
  Result<Exploration> result = explore_until_settled(hooks, std::move(before), saved_ != nullptr);
  if (!result) return result;
  if (wants_spurious_wakeups(*result)) result = explore_spurious_wakeups(hooks, std::move(*result));
  if (wants_longer_delays(*result)) explore_longer_delays(std::move(hooks), *result);
  return result;
}

// Repeats the search until it finds no new scheduling points.
Result<Exploration> Campaign::explore_until_settled(ExplorerHooks& hooks, Exploration so_far, bool resume) {
  const std::vector<Analysis*> analyses = replayer_.analyses();
  for (;; resume = false) {
    Explorer explorer(*search_, *target_, analyses, budget_left(so_far), options_.keep_going, hooks);
    if (resume) explorer.resume_from(saved_->state);
    Exploration round = explorer.run();
    if (round.refused)
      return Error{ExitCode::Usage,
                   fmt::format("{} was saved for another program or other options; start again with 'lockstep run'",
                               saved_exploration_path(options_.out))};
    so_far = sum_of(std::move(so_far), std::move(round));
    if (!so_far.starts_over()) return so_far;
    start_over(hooks, so_far);
  }
}

void Campaign::start_over(ExplorerHooks& hooks, const Exploration& so_far) {
  executions_before_ = so_far.executions;
  coverage_.clear();
  outputs_.clear();
  warnings_before_ = so_far.warnings;
  raced_before_ = so_far.raced;
  for (const Finding& bug : so_far.bugs) hooks.known.insert(bug.fingerprint);
  const size_t places_before = promotion_.in_use().places.size();
  use_new_points();
  const size_t places = promotion_.in_use().places.size();
  search_ = std::move(*make_strategy(strategy_options_));
  hooks.starts_before = ++starts_;
  listener_.starts_over(places == places_before ? 0 : places);
}

void Campaign::use_new_points() {
  promotion_.start_over();
  target_->promote(promotion_.in_use());
}

bool Campaign::wants_spurious_wakeups(const Exploration& result) {
  return !options_.spurious && options_.strategy_name() == "auto" && result.claim.finished && result.bugs.empty() &&
         result.claim.find(ProvisoKind::Spurious) != nullptr;
}

// The earlier proof without spurious wakeups stays valid whatever this round finds. A state saved in this round would
// lose the proof, so none is saved.
Exploration Campaign::explore_spurious_wakeups(ExplorerHooks hooks, Exploration result) {
  hooks.save = nullptr;
  hooks.bound_finished = nullptr;
  allow_spurious(1);
  search_ = std::move(*make_strategy(strategy_options_));
  const Claim proved = result.claim;
  const std::optional<uint64_t> traces = result.traces, redundant = result.redundant;
  const bool limited = !options_.executions && !options_.time;
  const uint64_t most = std::max<uint64_t>(2'000, 2 * result.executions);
  executions_before_ = result.executions;
  Budget budget = budget_left(result);
  if (limited) budget.executions = most;
  const std::vector<Analysis*> analyses = replayer_.analyses();
  Exploration round = Explorer(*search_, *target_, analyses, budget, options_.keep_going, hooks).run();
  const Proviso* unrepeated = round.claim.find(ProvisoKind::Nondeterministic);
  const bool settled = round.claim.finished && !round.starts_over() && !(unrepeated && !unrepeated->why.empty());
  const bool interrupted = round.interrupted();
  result = sum_of(std::move(result), std::move(round));
  if (settled) return result;
  result.claim = proved;
  result.claim.ended_by_bug = !options_.keep_going && !result.bugs.empty();
  result.traces = traces;
  result.redundant = redundant;
  result.estimated_executions = 0;
  if (result.bugs.empty() && !interrupted) {
    result.ending = Ending::Finished;
    result.verdict = Verdict::Pass;
  }
  return result;
}

// Stops at an interrupt, and when the file of the program was replaced. A function of this process does not change.
bool Campaign::must_stop() { return deadline_->was_interrupted() || program_watch_.was_replaced(); }

// Executions of abandoned searches count. Time is the time on the clock.
Budget Campaign::budget_left(const Exploration& so_far) const {
  Budget budget = budget_of(options_, *search_);
  if (budget.executions) *budget.executions -= std::min(so_far.executions, *budget.executions);
  budget.time = deadline_->left();
  return budget;
}

void Campaign::conclude(Exploration& result) {
  if (program_watch_.was_replaced() && result.interrupted()) {
    result.ending = Ending::Uncontrolled;
    if (result.bugs.empty()) result.verdict = Verdict::Uncontrolled;
    result.uncontrolled =
        fmt::format("{} was replaced while it was explored; start again with 'lockstep run'", subject_.program);
  }
  for (const std::string& warning : target_->warnings()) listener_.warn(warning);
  for (const std::string& warning : focus_.warnings()) listener_.warn(warning);
  conclude_warnings(result.warnings);
  // A deadlock that is reported does not need a lock-order warning as well.
  const auto is_deadlock = [](const Finding& bug) { return bug.kind == FindingKind::Deadlock; };
  if (!options_.keep_going && std::any_of(result.bugs.begin(), result.bugs.end(), is_deadlock))
    std::erase_if(result.warnings, [](const Finding& warning) { return warning.kind == FindingKind::LockOrder; });
  turn_warnings_into_bugs(result);
  for (const Finding& warning : result.warnings) listener_.warn(warning.message);
  if (!options_.errors.contains(FindingKind::Livelock)) warn_of_unyielding_loops();
  if (result.executions == 0 && result.ending == Ending::TimeBudget)
    listener_.warn("not one execution ended within the time budget: give more --time, or let the test do less");
  if (result.diverged > 0)
    listener_.warn(fmt::format("{} did not follow its schedule, even when repeated; the program depends on {}",
                               count_of(result.diverged, "execution"), target_->dependence()));
  for (Finding& bug : result.bugs)
    if (unsaved_.contains(bug.schedule)) bug.schedule.clear();
  result.seconds = seconds_so_far();
}

}  // namespace lockstep
