#include "analysis/races.hpp"

#include "analysis/bounds.hpp"

namespace lockstep {
namespace {

std::string verb_of(const RaceAccess& access) {
  if (access.flags & RaceAccess::kFree) return "frees";
  if (access.atomic()) return access.write() ? "atomically writes" : "atomically reads";
  return access.write() ? "writes" : "reads";
}

// Freed before it was touched, in this very execution: ordered or not, that is worse than a race.
FindingKind kind_of(const DataRace& race) {
  const bool freed = !race.unlocked() && (race.first.flags & RaceAccess::kFree) && !(race.second.flags & RaceAccess::kFree);
  return freed ? FindingKind::UseAfterFree : FindingKind::DataRace;
}

Finding finding_of(const DataRace& race, TraceView trace) {
  Finding finding;
  finding.kind = kind_of(race);
  finding.race = race;
  const ScheduleBounds bounds = bounds_of(trace);
  finding.preemptions = bounds.preemptions;
  finding.variables = bounds.variables;
  finding.threads = race.first.thread == race.second.thread ? 1 : 2;
  if (finding.kind == FindingKind::UseAfterFree) {
    finding.message = "use after free: " + name_of(race.second.thread) + " " + verb_of(race.second) + " memory that " +
                      name_of(race.first.thread) + " has freed";
    return finding;
  }
  finding.message = "data race: " + name_of(race.first.thread) + " " + verb_of(race.first) + " and " +
                    name_of(race.second.thread) + " " + verb_of(race.second) + " the same memory";
  return finding;
}

}  // namespace

std::optional<Finding> RaceAnalysis::check(TraceView trace) {
  std::vector<Finding> all = check_all(trace);
  return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
}

std::vector<Finding> RaceAnalysis::check_all(TraceView trace) {
  std::vector<Finding> findings;
  for (const DataRace& race : trace.races()) {
    const bool counts = kind_of(race) == FindingKind::UseAfterFree || (races_count && race.race());
    if (!counts || (ignored && ignored(race))) continue;
    findings.push_back(finding_of(race, trace));
    if (doubt && findings.back().kind == FindingKind::DataRace) findings.back().doubt = doubt(race);
  }
  return findings;
}

}  // namespace lockstep
