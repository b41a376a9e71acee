// Reports the misused locks that a trace lists.
#include "analysis/lock_misuse.hpp"

#include "analysis/bounds.hpp"

namespace lockstep {

std::vector<Finding> LockMisuseAnalysis::check_all(TraceView trace) {
  std::vector<Finding> findings;
  for (const DataRace& found : trace.races()) {
    if (!found.misuse()) continue;
    Finding& finding = findings.emplace_back();
    const bool spins = found.second.misuse == Misuse::SpinsUnyielding;
    finding.kind = spins ? FindingKind::Livelock : FindingKind::LockMisuse;
    finding.race = found;
    finding.message =
        name_of(found.second.thread) + (spins ? ": " : " misused a lock: ") + text_of(found.second.misuse);
    set_bounds(finding, bounds_of(trace));
  }
  return findings;
}

}  // namespace lockstep
