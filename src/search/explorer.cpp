#include "search/explorer.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "model/plan_queue.hpp"
#include "model/schedule.hpp"
#include "search/failure_keys.hpp"
#include "search/saved_finding.hpp"
#include "search/trace_meter.hpp"
#include "search/trace_set.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProgressEvery = std::chrono::milliseconds(200);
// Saved at once, so that there is something to resume from the beginning on; then seldom and more seldom.
constexpr Clock::duration kFirstSave = std::chrono::seconds(2);
constexpr Clock::duration kSaveEvery = std::chrono::seconds(5);
constexpr uint64_t kTrustFor = 64;  // executions
constexpr uint64_t kTraceShare = 4;  // of the memory budget: one part for the traces seen

// Why an exploration ended before its strategy did. Only a used-up budget lets a strategy without an end pass.
struct Stop {
  std::string reason;
  bool budget = false;
};

// The state of one run. Order is everything here: plans are handed out, executed and learned from in one order that
// depends on the strategy and the window only, never on who was faster.
class Run {
 public:
  Run(Strategy& strategy, Executor& executor, std::span<Analysis* const> analyses, const Budget& budget,
      bool keep_going, const ExplorerHooks& hooks)
      : strategy_(strategy), executor_(executor), analyses_(analyses), budget_(budget), keep_going_(keep_going),
        hooks_(hooks), interrupted_(hooks.interrupted ? hooks.interrupted : [] { return false; }) {
    traces_.limit(budget.memory_bytes / kTraceShare);
    strategy_.stay_within(budget.memory_bytes - budget.memory_bytes / kTraceShare);
  }

  bool load(const std::string& state) {
    StateReader in(state);
    Exploration& r = result_;
    for (uint64_t* n : {&r.executions, &r.diverged, &r.cut, &r.without_races, &redundant_}) *n = in.get<uint64_t>();
    for (uint32_t* n : {&r.steps_max, &r.threads_max, &r.preemptions_max}) *n = in.get<uint32_t>();
    seconds_before_ = in.get<double>();
    traces_.load(in);
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) fingerprints_.insert(in.get_text());
    r.raced = in.get<bool>();
    r.warnings = get_findings(in);
    for (const FailureKey key : in.get_all<FailureKey>()) unrepeated_.insert(key);
    for (const FailureKey key : in.get_all<FailureKey>()) keys_.confirmed(key);
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
      const auto key = in.get<FailureKey>();
      beyond_[key] = in.get<FindingKind>();
    }
    strategy_.load(in);
    submitted_ = r.executions;
    return in.good() && in.at_end();
  }

  Exploration explore() {
    if (submitted_ == 0) save();
    while (!stop_) {
      fill();
      if (in_flight_.empty()) break;
      const std::optional<TraceView> trace = executor_.next([this] { return interrupted_() || late(); });
      if (!trace) {
        if (interrupted_() || !late()) interrupt();
        else stop_ = Stop{"the time budget", true};
        break;
      }
      in_flight_.swap_out(plan_);
      count(*trace);
      const bool counts = budget_.count_traces && is_whole(trace->outcome()) && strategy_.counts(*trace);
      strategy_.learn(*trace);
      const uint64_t fingerprint = measure(*trace);
      traces_.expect(fingerprint);
      const bool restart = hooks_.promote && trace->header().races > 0 && hooks_.promote(*trace);
      check(*trace, plan_);
      if (restart && !stop_) {
        result_.restart = true;
        stop_ = Stop{"accesses that became scheduling points"};
      }
      strategy_.take_back(plan_);
      if (counts) traces_.insert(fingerprint);
      if (result_.executions % kTrustFor == 0 || in_flight_.empty()) check_trust();
      check_limits();
    }
    if (!in_flight_.empty()) executor_.cancel();
    conclude();
    if (!result_.complete && (result_.bugs.empty() || goes_on_after_bugs())) save();
    return std::move(result_);
  }

 private:
  // What was counted and noticed so far, then the strategy. Bugs are kept by who was told of them; here only that they are
  // known.
  void save() {
    if (!hooks_.save || !strategy_.resumable()) return;
    const Clock::time_point begin = Clock::now();
    hooks_.save([&](StateWriter& out) {
      const Exploration& r = result_;
      const Counted again = put_off();
      for (const uint64_t n : {r.executions - again.executions, r.diverged - again.diverged, r.cut - again.cut,
                               r.without_races - again.without_races, redundant_ - again.blocked})
        out.put(n);
      for (const uint32_t n : {r.steps_max, r.threads_max, r.preemptions_max}) out.put(n);
      out.put(std::chrono::duration<double>(begin - start_).count() + seconds_before_);
      traces_.save(out, again.inserted);
      out.put<uint64_t>(fingerprints_.size());
      for (const std::string& fingerprint : fingerprints_) out.put_text(fingerprint);
      out.put(r.raced);
      put_findings(out, std::span(r.warnings).first(noticed_.value_or(r.warnings.size())));
      out.put_all(std::vector<FailureKey>(unrepeated_.begin(), unrepeated_.end()));
      out.put_all(keys_.all_confirmed());
      out.put<uint64_t>(beyond_.size());
      for (const auto& [key, kind] : beyond_) {
        out.put(key);
        out.put(kind);
      }
      strategy_.save(out);
    });
    // Rarely enough not to be felt, however large it has become.
    saved_ = Clock::now();
    save_every_ = std::max(std::min(2 * save_every_, kSaveEvery), 40 * (saved_ - begin));
  }

  // Executions that were counted and will be run again by who resumes this.
  struct Counted {
    uint64_t executions = 0, diverged = 0, cut = 0, without_races = 0, blocked = 0, inserted = 0;
  };
  Counted put_off() {
    Counted again;
    strategy_.for_each_put_off([&](TraceView trace) {
      const Outcome outcome = trace.outcome();
      ++again.executions;
      again.diverged += outcome == Outcome::Diverged;
      again.cut += outcome == Outcome::StepLimit;
      again.without_races += (trace.header().monitors & Monitors::kNoRaces) != 0;
      if (!budget_.count_traces) return;
      again.blocked += outcome == Outcome::SleepBlocked;
      again.inserted += is_whole(outcome) && strategy_.counts(trace);
    });
    return again;
  }

  struct Failure {
    Finding finding;
    FailureKey key;
  };

  void fill() {
    while (in_flight_.size() < window_ && (!budget_.executions || submitted_ < *budget_.executions)) {
      std::optional<Plan> plan = strategy_.next();
      if (!plan) return;
      plan->id = ++submitted_;
      executor_.submit(*plan);
      in_flight_.swap_in(*plan);
    }
  }

  void count(TraceView trace) {
    const TraceHeader& header = trace.header();
    ++result_.executions;
    for (const DataRace& race : trace.races()) result_.raced = result_.raced || race.race();
    if (header.outcome == Outcome::Diverged) ++result_.diverged;
    if (header.outcome == Outcome::StepLimit) ++result_.cut;
    if (header.monitors & Monitors::kNoRaces) ++result_.without_races;
    result_.steps_max = std::max(result_.steps_max, header.decisions);
    result_.threads_max = std::max(result_.threads_max, header.threads);
    if (budget_.count_traces && trace.outcome() == Outcome::SleepBlocked) ++redundant_;
  }

  uint64_t measure(TraceView trace) {
    std::optional<Measures> measures = strategy_.measures();
    if (!measures) {
      meter_.read(trace);
      measures = {meter_.fingerprint(), meter_.preemptions()};
    }
    result_.preemptions_max = std::max(result_.preemptions_max, measures->preemptions);
    return measures->fingerprint;
  }

  void check(TraceView trace, const Plan& plan) {
    if (trace.outcome() == Outcome::Uncontrolled) {
      result_.uncontrolled = trace.message();
      if (trace.header().detail)
        if (const auto stacks = trace.all_stacks(); !stacks.empty())
          result_.uncontrolled_stack.assign(stacks.back().begin(), stacks.back().end());
      stop_ = Stop{kUncontrolled};
      return;
    }
    // The trace is gone once something else runs, so everything it has to say is taken down first.
    std::vector<Failure> failures;
    for (Analysis* analysis : analyses_)
      for (Finding& finding : analysis->check_all(trace)) note(std::move(finding), trace, plan, failures);
    const bool beyond = !failures.empty() && !strategy_.counts(trace);
    for (Failure& failure : failures) {
      if (beyond)
        beyond_.emplace(failure.key, failure.finding.kind);
      else
        handle(std::move(failure));
      if (stop_) return;
    }
    if (resubmit_) resubmit();
  }

  void note(Finding finding, TraceView trace, const Plan& plan, std::vector<Failure>& failures) {
    const FailureKey key = key_of(finding, trace);
    if (!keys_.worth_confirming(key)) return;
    finding.execution = result_.executions;
    // A random plan is written down as what it led to; a dead worker has not told what it did.
    const bool told = trace.outcome() != Outcome::WorkerDied;
    finding.plan = told ? plan_of(trace) : plan;
    finding.plan.max_steps = plan.max_steps;
    finding.plan.tracked = plan.tracked;
    finding.trace = Trace(trace);
    failures.push_back({std::move(finding), key});
  }

  void handle(Failure failure) {
    const FindingKind kind = failure.finding.kind;
    if ((is_warning(kind) && !hooks_.errors.contains(kind)) || !failure.finding.doubt.empty()) {
      keys_.confirmed(failure.key);
      result_.warnings.push_back(std::move(failure.finding));
      return;
    }
    std::optional<Finding> bug;
    if (hooks_.confirm) {
      executor_.cancel();
      resubmit_ = true;
      bug = hooks_.confirm(failure.finding);
    } else {
      bug = failure.finding;
    }
    if (!bug) {
      keys_.not_repeated(failure.key);
      if (unrepeated_.insert(failure.key).second) warn_not_repeated(std::move(failure.finding));
      return;
    }
    keys_.confirmed(failure.key);
    if (bug->fingerprint.empty()) bug->fingerprint = hex(failure.key);
    if (!fingerprints_.insert(bug->fingerprint).second || hooks_.known.contains(bug->fingerprint)) return;
    if (hooks_.found) hooks_.found(*bug);
    result_.bugs.push_back(std::move(*bug));
    if (!keep_going_) stop_ = Stop{"the first bug"};
  }

  // A search that goes a little beyond its bound is not to report what lies there, nor to keep it to itself.
  void warn_of_what_lies_beyond() {
    for (const auto& [key, kind] : beyond_) {
      if (!keys_.worth_confirming(key)) continue;  // was found within the bound as well
      Finding warning;
      warning.kind = kind;
      warning.message = std::string("beyond the bound: an execution with more preemptions ends with ") + name_of(kind) +
                        "; it is reported if they are allowed";
      result_.warnings.push_back(std::move(warning));
    }
  }

  void warn_not_repeated(Finding finding) {
    finding.message = "a failure did not repeat when the same schedule was run again: " + finding.message;
    finding.kind = FindingKind::Nondeterminism;
    result_.warnings.push_back(std::move(finding));
  }

  // Confirming needs an idle executor, which forgets what was under way; the strategy has not noticed.
  void resubmit() {
    resubmit_ = false;
    in_flight_.for_each([this](const Plan& plan) { executor_.submit(plan); });
  }

  void tell_bound() {
    const std::optional<uint32_t> bound = strategy_.preemptions_completed();
    if (!bound || bound == bound_) return;
    bound_ = bound;
    hooks_.bound_finished(*bound, result_.executions - executions_at_bound_);
    executions_at_bound_ = result_.executions;
  }

  void check_limits() {
    if (stop_) return;
    if (hooks_.bound_finished) tell_bound();
    const uint64_t memory = strategy_.memory_bytes() + traces_.memory_bytes();
    result_.peak_memory_bytes = std::max(result_.peak_memory_bytes, memory);
    const Clock::time_point now = Clock::now();
    if (interrupted_()) {
      interrupt();
    } else if (late(now) && !finished()) {
      stop_ = Stop{"the time budget", true};
    } else if (memory > budget_.memory_bytes && !finished() && !make_room()) {
      stop_ = Stop{"the memory budget"};
    } else if (now - saved_ >= save_every_) {
      saved_ = now;
      save();
    } else if (hooks_.progress && now - told_ >= kProgressEvery) {
      told_ = now;
      tell(now);
    }
  }

  // The set of traces seen makes room by itself; of the rest the strategy keeps half, so that this is not needed all the
  // time.
  bool make_room() {
    const uint64_t fixed = traces_.memory_bytes();
    return fixed < budget_.memory_bytes && strategy_.spill((budget_.memory_bytes - fixed) / 2);
  }

  bool late(Clock::time_point now) const { return budget_.time && now - start_ >= *budget_.time; }
  bool late() const { return late(Clock::now()); }

  // Rather than being ended by one.
  bool goes_on_after_bugs() const { return keep_going_ && (result_.interrupted || !result_.uncontrolled.empty()); }

  bool finished() const { return in_flight_.empty() && strategy_.complete(); }

  void check_trust() {
    if (stop_ || !hooks_.distrusted || !hooks_.distrusted()) return;
    result_.restart = true;
    stop_ = Stop{"executions that cannot be relied on"};
  }

  void interrupt() {
    result_.interrupted = true;
    stop_ = Stop{"an interrupt"};
  }

  uint64_t estimated_total() const {  // never less than there were; 0 if unknown
    const uint64_t estimate = strategy_.estimated_total();
    return estimate == 0 ? 0 : std::max(estimate, result_.executions);
  }

  void tell(Clock::time_point now) const {
    Progress p;
    p.executions = result_.executions;
    p.seconds = std::chrono::duration<double>(now - start_).count();
    p.phase = strategy_.phase();
    p.frontier = strategy_.frontier_nodes();
    p.estimated_total = estimated_total();
    p.bugs = result_.bugs.size();
    hooks_.progress(p);
  }

  void conclude() {
    Exploration& r = result_;
    r.seconds = std::chrono::duration<double>(Clock::now() - start_).count() + seconds_before_;
    r.peak_frontier_nodes = strategy_.peak_frontier_nodes();
    r.remark = strategy_.remark();
    r.unrepeated = strategy_.unrepeated();
    noticed_ = r.warnings.size();
    for (Finding& suspicion : strategy_.suspicions()) r.warnings.push_back(std::move(suspicion));
    if (budget_.count_traces && (r.traces = traces_.size())) r.redundant = redundant_ + traces_.inserted() - *r.traces;
    warn_of_what_lies_beyond();
    // A failure that came and went shows that executions do not repeat: then no claim over them holds.
    const bool repeats = unrepeated_.empty();
    r.complete = strategy_.complete() && repeats;
    if (!r.complete) r.estimated_executions = estimated_total();
    if (repeats) {
      r.guarantee = strategy_.guarantee();
      r.preemptions_completed = strategy_.preemptions_completed();
      r.bounds_completed = strategy_.bounds_completed();
    }
    if (!stop_ && !r.complete) stop_ = why_not_complete(repeats);
    if (stop_ && !r.complete) r.stopped_by = stop_->reason;
    r.verdict = verdict();
  }

  Stop why_not_complete(bool repeats) const {
    if (budget_.executions && submitted_ >= *budget_.executions && !strategy_.complete() &&
        (strategy_.frontier_nodes() > 0 || !strategy_.exhaustive()))
      return {"the execution budget", true};
    if (!repeats) return {"a failure that did not repeat"};
    return {strategy_.why_incomplete()};
  }

  Verdict verdict() const {
    if (!result_.bugs.empty()) return Verdict::Bug;
    if (!result_.uncontrolled.empty() || (stop_ && stop_->reason == kUncontrolled)) return Verdict::Uncontrolled;
    if (result_.complete) return Verdict::Pass;
    return !strategy_.exhaustive() && stop_ && stop_->budget ? Verdict::Pass : Verdict::Incomplete;
  }

  static std::string hex(FailureKey key) {
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(key));
    return text;
  }

  static constexpr const char* kUncontrolled = "the program could not be controlled";

  Strategy& strategy_;
  Executor& executor_;
  const std::span<Analysis* const> analyses_;
  const Budget& budget_;
  const bool keep_going_;
  const ExplorerHooks& hooks_;
  const std::function<bool()> interrupted_;
  const size_t window_ = std::max<size_t>(executor_.window(), 1);

  const Clock::time_point start_ = Clock::now();
  Clock::time_point told_ = start_, saved_ = start_;
  Clock::duration save_every_ = kFirstSave / 2;
  double seconds_before_ = 0;  // of the exploration that this one goes on with
  PlanQueue in_flight_;
  Plan plan_;  // of the execution that is looked at
  uint64_t submitted_ = 0;
  bool resubmit_ = false;
  std::optional<uint32_t> bound_;  // told last
  uint64_t executions_at_bound_ = 0;
  std::optional<Stop> stop_;
  TraceMeter meter_;
  TraceSet traces_;
  uint64_t redundant_ = 0;
  FailureKeys keys_;
  std::set<FailureKey> unrepeated_;
  std::optional<size_t> noticed_;  // warnings, without those that are made up in the end
  std::map<FailureKey, FindingKind> beyond_;  // what failed in executions that do not count
  std::set<std::string> fingerprints_;
  Exploration result_;
};

}  // namespace

Explorer::Explorer(Strategy& strategy, Executor& executor, std::span<Analysis* const> analyses, Budget budget,
                   bool keep_going, ExplorerHooks hooks)
    : strategy_(strategy), executor_(executor), analyses_(analyses), budget_(budget), keep_going_(keep_going),
      hooks_(std::move(hooks)) {}

Exploration Explorer::run() {
  Run run(strategy_, executor_, analyses_, budget_, keep_going_, hooks_);
  if (!state_.empty() && !run.load(state_)) {
    Exploration refused;
    refused.verdict = Verdict::Incomplete;
    refused.refused = true;
    return refused;
  }
  return run.explore();
}

}  // namespace lockstep
