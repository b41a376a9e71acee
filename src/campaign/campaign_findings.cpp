// How a campaign handles the bugs and warnings of its searches.
#include <fmt/format.h>
#include <algorithm>

#include "campaign/campaign.hpp"
#include "campaign/livelock_escape.hpp"
#include "model/text_lines.hpp"
#include "report/fingerprint.hpp"
#include "report/trace_names.hpp"

namespace lockstep {
namespace {

// True if the finding is one of the races of this execution.
bool is_race_of(const Finding& finding, const Trace& trace) {
  if (!finding.race || trace.empty()) return false;
  const auto places = [](const DataRace& race) { return std::minmax({race.first.pc, race.second.pc}); };
  return std::ranges::any_of(
      trace.view().races(), [&](const DataRace& race) { return race.race() && places(race) == places(*finding.race); });
}

}  // namespace

std::optional<Finding> Campaign::confirm(Finding finding) {
  finding.schedule = fmt::format("{}/bug-{}.lockstep", options_.out, bug_number_ + 1);
  finding.execution += executions_before_;
  finding.test = options_.test;
  const double begin = deadline_->seconds();
  std::optional<Finding> found;
  if (!deadline_->is_overdue()) found = replayer_.reproduce(finding, true);
  replay_seconds_ = deadline_->seconds() - begin;
  if (!found && deadline_->is_overdue()) {
    listener_.warn("the time budget ended before the failure was replayed; its source locations are missing");
    return replayer_.complete(std::move(finding));
  }
  if (found && found->kind == FindingKind::Livelock && !found->race)
    found->doubt = escape_from_livelock(*target_, *found, [this] { return deadline_->is_over(); });
  if (!found || !found->doubt.empty()) return found;
  if (const TraceView trace = found->trace; trace.is_brief()) {
    found->message += fmt::format("; its {} are too many to record: raise --memory-budget to see them",
                                  count_of(trace.header().decisions, "step"));
    return found;
  }
  if (options_.no_shrink) return replayer_.explained(std::move(*found), shrink_budget());
  const Finding simple = replayer_.simplify(*found, search_->claim().preemptions_completed, shrink_budget());
  return replayer_.explained(with_all_points(simple).value_or(simple), shrink_budget());
}

// Reserves time for another replay with stacks and for the report. For a long execution both together take about twice
// the time of the first replay.
ShrinkBudget Campaign::shrink_budget() const {
  const auto reserve = std::chrono::duration<double>(2 * replay_seconds_);
  return {.stop = [this, reserve] {
    const auto left = deadline_->left();
    return deadline_->is_over() || (left && *left < reserve);
  }};
}

// If racing accesses were not scheduling points, the schedule does not show which thread was preempted there.
std::optional<Finding> Campaign::with_all_points(const Finding& finding) {
  if (points_ < Points::Racy || finding.race || !finding.plan.tracked.empty()) return std::nullopt;
  const auto missing = promotion_.missing_points(
      finding.trace, [this](const DataRace& race) { return replayer_.is_library_race(race); });
  if (missing.empty()) return std::nullopt;
  const std::optional<Finding> found = replayer_.find_with_points(finding, missing, shrink_budget());
  const std::optional<uint32_t>& bound = options_.strategy.preemptions;
  if (!found || (bound && found->preemptions > *bound)) return std::nullopt;
  const std::optional<uint32_t> fewer = found->preemptions ? std::optional(found->preemptions - 1) : std::nullopt;
  return replayer_.simplify(*found, fewer, shrink_budget());
}

void Campaign::report(const Finding& finding) {
  ++bug_number_;
  Finding reported = finding;
  if (auto error = save_schedule_of(finding)) {
    listener_.warn(error->message + "; the bug cannot be replayed");
    unsaved_.insert(finding.schedule);
    reported.schedule.clear();
  }
  const bool waits = !options_.keep_going && may_be_cause(finding.kind);
  if (waits)
    untold_.push_back(reported);
  else
    listener_.found(reported);
  reported.trace = {};
  reported_.push_back(std::move(reported));
}

// Reports the bugs that were held back, after the bugs that they may have caused.
void Campaign::tell_causes(Exploration& result) {
  const auto is_cause = [this](const Finding& bug) {
    return std::ranges::any_of(untold_, [&](const Finding& f) { return f.fingerprint == bug.fingerprint; });
  };
  std::stable_partition(result.bugs.begin(), result.bugs.end(), [&](const Finding& bug) { return !is_cause(bug); });
  const Finding* first = result.bugs.empty() || is_cause(result.bugs.front()) ? nullptr : &result.bugs.front();
  for (Finding& cause : untold_) {
    if (first && is_race_of(cause, first->trace))
      cause.message += fmt::format("; this race is part of the execution that ends with {}", name_of(first->kind));
    listener_.found(cause);
    for (Finding& bug : result.bugs)
      if (bug.fingerprint == cause.fingerprint) bug.message = cause.message;
  }
  untold_.clear();
}

// A bug that the program survives may cause a bug that ends it. The second says more, so it is reported first.
bool Campaign::goes_on_after(const Finding& bug) {
  if (!may_be_cause(bug.kind)) return false;
  const Budget budget = budget_of(options_, *search_);
  causes_.begin(executions_before_ + bug.execution, budget.executions, deadline_->seconds(), budget.time);
  return true;
}

// Adds the places of a warning, which only a replay can determine.
void Campaign::complete_warning(Finding& warning) {
  const bool has_places = !warning.fingerprint.empty();
  const bool names_them = warning.kind == FindingKind::Nondeterminism || warning.kind == FindingKind::Timing ||
                          warning.kind == FindingKind::Livelock;
  if (has_places || names_them || warning.trace.empty() || deadline_->is_over()) return;
  if (auto found = replayer_.reproduce(warning, true)) warning = std::move(*found);
}

std::string Campaign::text_of_warning(const Finding& warning) const {
  if (warning.kind == FindingKind::Timing && !options_.errors.contains(warning.kind))
    return "timing: " + warning.message;
  if (warning.kind == FindingKind::Livelock && !warning.doubt.empty())
    return fmt::format("livelock: {}; {}", warning.message, warning.doubt);
  if (!warning.doubt.empty())
    return fmt::format("possible {}; not certain: {} is not instrumented and may synchronise these accesses",
                       warning.message, warning.doubt);
  return warning.message;
}

// Different threads and objects may show the same at the same places.
void Campaign::conclude_warnings(std::vector<Finding>& warnings) {
  std::set<std::string> told;
  const auto identity = [](const Finding& w) { return w.fingerprint.empty() ? w.message : w.fingerprint; };
  for (Finding& warning : warnings) {
    complete_warning(warning);
    warning.message = text_of_warning(warning);
  }
  std::erase_if(warnings, [&](const Finding& warning) { return !told.insert(identity(warning)).second; });
}

// Applies --error KIND.
void Campaign::turn_warnings_into_bugs(Exploration& result) {
  std::vector<Finding> rest;
  for (Finding& warning : result.warnings) {
    if (!options_.errors.contains(warning.kind)) {
      rest.push_back(std::move(warning));
      continue;
    }
    if (warning.fingerprint.empty() && !warning.trace.empty())
      warning.fingerprint = fingerprint_of(warning, TraceNames(warning.trace, replayer_.symbols()));
    listener_.found(warning);
    result.bugs.push_back(std::move(warning));
    result.verdict = Verdict::Bug;
  }
  result.warnings = std::move(rest);
}

}  // namespace lockstep
