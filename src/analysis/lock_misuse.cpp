#include "analysis/lock_misuse.hpp"

#include "analysis/bounds.hpp"

namespace lockstep {

std::optional<Finding> LockMisuseAnalysis::check(TraceView trace) {
  std::vector<Finding> all = check_all(trace);
  return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
}

std::vector<Finding> LockMisuseAnalysis::check_all(TraceView trace) {
  std::vector<Finding> findings;
  for (const DataRace& found : trace.races()) {
    if (!found.misuse()) continue;
    Finding& finding = findings.emplace_back();
    finding.kind = FindingKind::LockMisuse;
    finding.race = found;
    finding.message = name_of(found.second.thread) + " misused a lock: " + text_of(found.second.misuse);
    const ScheduleBounds bounds = bounds_of(trace);
    finding.preemptions = bounds.preemptions;
    finding.variables = bounds.variables;
    finding.threads = bounds.threads;
  }
  return findings;
}

}  // namespace lockstep
