// Searches for failures that need a thread to be delayed longer than --max-delay: warnings of kind `timing`. They do
// not change the claim, which names the limit.
#include <fmt/format.h>
#include <algorithm>

#include "campaign/campaign.hpp"
#include "report/trace_names.hpp"
#include "report/user_frames.hpp"

namespace lockstep {
namespace {

constexpr uint64_t kNanosecondsPerMs = 1'000'000;
// Limited: a thread that times out and tries again does so without end while another thread is delayed without end.
constexpr uint32_t kLevels[] = {100, 1'000, 10'000};  // ms
constexpr unsigned kMostAttempts = 6;                 // to find the failure with a shorter delay
constexpr double kFewestSeconds = 2;
constexpr uint64_t kFewestExecutions = 2'000;

std::string duration_text(uint64_t nanoseconds) {
  const double ms = static_cast<double>(nanoseconds) / kNanosecondsPerMs;
  return ms < 1'000 ? fmt::format("{:.4g} ms", ms) : fmt::format("{:.4g} s", ms / 1'000);
}

// "the timed wait of main at queue_test.cpp:31"
std::string wait_text(const TraceNames& names, const LongestDelay& delay) {
  const TraceView trace = names.trace();
  if (delay.record >= trace.steps().size()) return "a sleep or timed wait";
  const Step& step = trace.steps()[delay.record];
  const auto frame = innermost_user_frame(names.stack_of_step(delay.record), names.symbols());
  std::string text =
      fmt::format("the {} of {}", step.kind == OpKind::Sleep ? "sleep" : "timed wait", names.thread(step.thread));
  if (frame && frame->where.line > 0) text += " at " + short_place(frame->where);
  return text;
}

void make_timing(Finding& finding, uint32_t limit_ms, Symbols& symbols) {
  const LongestDelay& delay = finding.trace.view().header().delay;
  std::string needs = fmt::format("a thread is held up for more than {} ms", limit_ms);
  if (delay.nanoseconds > 0) {
    const TraceNames names(finding.trace, symbols, &finding.seen);
    needs = fmt::format("{} is held up for {}, until {} ends", names.thread(delay.held_up),
                        duration_text(delay.nanoseconds), wait_text(names, delay));
  }
  finding.message = fmt::format("{}, if {} (--max-delay is {} ms)", finding.message, needs, limit_ms);
  finding.kind = FindingKind::Timing;
}

}  // namespace

bool Campaign::wants_longer_delays(const Exploration& result) {
  return options_.strategy_name() == "auto" && result.claim.finished && result.bugs.empty() &&
         result.claim.bounds.max_delay_ms && !deadline_->is_over();
}

// The first failure of an execution with delays up to the limit. Executions are counted; no claim follows.
std::optional<Finding> Campaign::failure_within(uint32_t max_delay_ms, const ExplorerHooks& hooks, double until,
                                                Exploration& result) {
  max_delay_ms_ = max_delay_ms;
  target_->allow_delay(max_delay_ms);
  const uint64_t last = result.executions + std::max(kFewestExecutions, 2 * result.executions);
  const std::vector<Analysis*> analyses = replayer_.analyses();
  for (;; use_new_points()) {
    const double left = until - deadline_->seconds();
    if (left <= 0 || deadline_->is_over()) return std::nullopt;
    search_ = std::move(*make_strategy(strategy_options_));
    executions_before_ = result.executions;
    Budget budget = budget_left(result);
    const uint64_t most = last - std::min(last, result.executions);
    budget.executions = budget.executions ? std::min(*budget.executions, most) : most;
    const auto time = std::chrono::milliseconds(static_cast<int64_t>(1000 * left) + 1);
    budget.time = budget.time ? std::min(*budget.time, time) : time;
    Exploration round = Explorer(*search_, *target_, analyses, budget, false, hooks).run();
    result.executions += round.executions;
    if (!round.bugs.empty()) return std::move(round.bugs.front());
    if (!round.starts_over()) return std::nullopt;
  }
}

// Shorter delays are more likely in practice, so they are tried first: one level after the other, then below the delay
// found.
std::optional<Finding> Campaign::failure_with_shortest_delay(const ExplorerHooks& hooks, const bool& held_back,
                                                             Exploration& result) {
  const double until = deadline_->seconds() + std::max(kFewestSeconds, deadline_->seconds());
  uint32_t tried = options_.max_delay_ms;
  std::optional<Finding> found;
  for (const uint32_t level : kLevels) {
    if (level <= tried) continue;
    if ((found = failure_within(level, hooks, until, result)) || !held_back) break;
    tried = level;
  }
  for (unsigned attempt = 0; found && attempt < kMostAttempts; ++attempt) {
    const uint64_t delay = found->trace.view().header().delay.nanoseconds;
    const auto below = static_cast<uint32_t>((delay - std::min<uint64_t>(delay, 1)) / kNanosecondsPerMs);
    if (below <= tried) break;
    std::optional<Finding> shorter = failure_within(below, hooks, until, result);
    if (!shorter) break;
    found = std::move(shorter);
  }
  return found;
}

void Campaign::explore_longer_delays(ExplorerHooks hooks, Exploration& result) {
  bool held_back = false;  // a sleep or timed wait was held back: longer delays would make a difference
  hooks.save = nullptr;
  hooks.bound_finished = nullptr;
  hooks.goes_on = nullptr;
  hooks.has_enough = nullptr;
  hooks.found = nullptr;
  hooks.executed = nullptr;
  hooks.ended = [&held_back](TraceView trace, const Plan&, uint64_t) {
    held_back |= trace.reasons().has(Reason::Delay);
  };
  const uint32_t spurious = spurious_;
  allow_spurious(options_.spurious.value_or(0));
  if (auto found = failure_with_shortest_delay(hooks, held_back, result)) report_timing(std::move(*found), result);
  max_delay_ms_ = options_.max_delay_ms;
  target_->allow_delay(max_delay_ms_);
  allow_spurious(spurious);
}

void Campaign::report_timing(Finding found, Exploration& result) {
  const TraceView trace = found.trace;
  const bool known = trace.outcome() != Outcome::WorkerDied;  // otherwise the delay was not measured
  if (known && trace.header().delay.nanoseconds <= options_.max_delay_ms * kNanosecondsPerMs) {
    report(found);  // needs no delay: an ordinary bug
    result.bugs.push_back(std::move(found));
    result.verdict = Verdict::Bug;
    result.ending = Ending::FirstBug;
    result.claim.ended_by_bug = true;
    return;
  }
  // The schedule file keeps the kind of the underlying failure, because a replay shows that kind.
  if (!options_.errors.contains(FindingKind::Timing)) {
    found.schedule.clear();
  } else if (auto error = save_schedule_of(found)) {
    listener_.warn(error->message + "; the bug cannot be replayed");
    found.schedule.clear();
  } else {
    ++bug_number_;
  }
  make_timing(found, options_.max_delay_ms, replayer_.symbols());
  result.warnings.push_back(std::move(found));
}

}  // namespace lockstep
