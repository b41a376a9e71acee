// Reports each variable that no common lock protects.
#include "analysis/lock_discipline.hpp"

#include "model/schedule.hpp"

namespace lockstep {

std::vector<Finding> LockDisciplineAnalysis::check_all(TraceView trace) {
  std::vector<Finding> findings;
  for (const DataRace& pair : trace.races()) {
    if (!pair.unlocked()) continue;
    Finding finding;
    finding.kind = FindingKind::LockDiscipline;
    finding.race = pair;
    finding.preemptions = count_preemptions(trace);
    finding.threads = pair.first.thread == pair.second.thread ? 1 : 2;
    finding.message = "no common lock protects a variable that " + name_of(pair.first.thread) + " and " +
                      (finding.threads == 2 ? name_of(pair.second.thread) : "another thread") + " use";
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace lockstep
