// Checks executions, confirms failures and keeps distinct ones.
#include "search/exploration/findings.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "model/schedule.hpp"
#include "search/exploration/saved_finding.hpp"

namespace lockstep {
namespace {

std::string hex(FailureKey key) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(key));
  return text;
}

// Which of the findings of one execution is told first. What ends the program says most; that it ends with another exit
// code is mostly a consequence of something else.
int precedence_of(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::Livelock: return finding.race ? 4 : 0;  // a loop that spins: the execution goes on
    case FindingKind::LockMisuse:
    case FindingKind::DataRace: return 1;
    case FindingKind::ExitCode: return 2;
    case FindingKind::Leak: return 3;
    default: return is_warning(finding.kind) ? 4 : 0;
  }
}

}  // namespace

bool may_be_cause(FindingKind kind) { return kind == FindingKind::DataRace || kind == FindingKind::LockMisuse; }

bool Findings::check(TraceView trace, const Plan& plan, uint64_t execution, const std::function<bool()>& counts) {
  // The trace is invalid once something else runs, so all failures are recorded first.
  std::vector<Failure> failures;
  Trace kept;  // one copy, which may be large, for all findings
  for (Analysis* analysis : analyses_)
    for (Finding& finding : analysis->check_all(trace))
      note(std::move(finding), trace, plan, execution, kept, failures);
  if (failures.empty()) return true;
  const bool within = counts();
  std::ranges::stable_sort(failures, {}, [](const Failure& f) { return precedence_of(f.finding); });
  bool goes_on = true;
  for (Failure& failure : failures) {
    if (!within) {
      beyond_.emplace(failure.key, failure.finding.kind);
    } else if (goes_on || may_be_cause(failure.finding.kind)) {
      const bool hidden = !goes_on;  // hidden by the finding that it may have caused
      goes_on &= handle(std::move(failure));
      if (hidden) break;
    }
  }
  return goes_on;
}

void Findings::note(Finding finding, TraceView trace, const Plan& plan, uint64_t execution, Trace& kept,
                    std::vector<Failure>& failures) {
  const FailureKey key = key_of(finding, trace);
  if (!keys_.worth_confirming(key)) return;
  // A schedule above the bound may shrink to one within the bound. That is tried once.
  const uint32_t preemptions = trace.is_brief() ? trace.header().preemptions : count_preemptions(trace);
  const bool above = hooks_.preemption_bound && preemptions > *hooks_.preemption_bound;
  if (above && beyond_.contains(key)) return;
  finding.execution = execution;
  // A random plan is replaced by the decisions of its execution. This is not possible for a dead worker, which has
  // reported nothing, or for a long execution, which keeps only its seed.
  finding.plan = plan;
  if (trace.outcome() != Outcome::WorkerDied && !trace.is_brief()) finding.write_down(plan_of(trace));
  if (kept.empty()) kept = Trace(trace);
  finding.trace = kept;
  failures.push_back({std::move(finding), key, above});
}

bool Findings::handle(Failure failure) {
  const FindingKind kind = failure.finding.kind;
  if ((is_warning(kind) && !hooks_.errors.contains(kind)) || !failure.finding.doubt.empty()) {
    warn(std::move(failure));
    return true;
  }
  std::optional<Finding> bug;
  if (hooks_.confirm) {
    stop_executor_();
    bug = hooks_.confirm(failure.finding);
  } else {
    bug = failure.finding;
  }
  if (bug && !bug->doubt.empty()) {
    keys_.confirmed(failure.key);
    warnings.push_back(std::move(*bug));
    return true;
  }
  if (!bug) {
    keys_.not_repeated(failure.key);
    if (!unrepeated_.insert(failure.key).second) return true;
    failure.finding.message =
        "a failure did not repeat when the same schedule was run again: " + failure.finding.message;
    failure.finding.kind = FindingKind::Nondeterminism;
    warnings.push_back(std::move(failure.finding));
    return true;
  }
  if (hooks_.preemption_bound && (hooks_.confirm ? bug->preemptions > *hooks_.preemption_bound : failure.above_bound)) {
    beyond_.emplace(failure.key, kind);
    return true;
  }
  keys_.confirmed(failure.key);
  if (bug->fingerprint.empty()) bug->fingerprint = hex(failure.key);
  if (!fingerprints_.insert(bug->fingerprint).second || hooks_.known.contains(bug->fingerprint)) return true;
  if (hooks_.found) hooks_.found(*bug);
  bugs.push_back(std::move(*bug));
  return keep_going_ || (hooks_.goes_on && hooks_.goes_on(bugs.back()));
}

// A common warning, of each pair of threads for instance, must not use up the time of the search.
void Findings::warn(Failure failure) {
  constexpr unsigned kMostCompleted = 20;
  keys_.confirmed(failure.key);
  if (hooks_.complete_warning && completed_ < kMostCompleted) {
    ++completed_;
    stop_executor_();
    hooks_.complete_warning(failure.finding);
  }
  warnings.push_back(std::move(failure.finding));
}

void Findings::warn_of_failures_beyond_bound() {
  for (const auto& [key, kind] : beyond_) {
    if (!keys_.worth_confirming(key)) continue;  // also found within the bound
    Finding warning;
    warning.kind = kind;
    warning.message = std::string("an execution beyond the preemption bound ends with ") + name_of(kind) +
                      "; raise --preemptions to see it";
    warnings.push_back(std::move(warning));
  }
}

// The campaign keeps the bugs; here only their fingerprints are saved.
void Findings::save(StateWriter& out, size_t warnings_kept) const {
  out.put<uint64_t>(fingerprints_.size());
  for (const std::string& fingerprint : fingerprints_) out.put_text(fingerprint);
  put_findings(out, std::span(warnings).first(warnings_kept));
  out.put_all(std::vector<FailureKey>(unrepeated_.begin(), unrepeated_.end()));
  out.put_all(keys_.all_confirmed());
  out.put<uint64_t>(beyond_.size());
  for (const auto& [key, kind] : beyond_) {
    out.put(key);
    out.put(kind);
  }
}

void Findings::load(StateReader& in) {
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) fingerprints_.insert(in.get_text());
  warnings = get_findings(in);
  for (const FailureKey key : in.get_all<FailureKey>()) unrepeated_.insert(key);
  for (const FailureKey key : in.get_all<FailureKey>()) keys_.confirmed(key);
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
    const auto key = in.get<FailureKey>();
    beyond_[key] = in.get<FindingKind>();
  }
}

}  // namespace lockstep
