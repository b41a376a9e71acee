#include "analysis/races.hpp"

#include "model/schedule.hpp"

namespace lockstep {
namespace {

std::string verb_of(const RaceAccess& access) {
  if (access.flags & RaceAccess::kFree) return "frees";
  if (access.atomic()) return access.write() ? "atomically writes" : "atomically reads";
  return access.write() ? "writes" : "reads";
}

Finding finding_of(const Race& race, TraceView trace) {
  Finding finding;
  finding.kind = FindingKind::DataRace;
  finding.race = race;
  finding.message = "data race: " + name_of(race.first.thread) + " " + verb_of(race.first) + " and " +
                    name_of(race.second.thread) + " " + verb_of(race.second) + " the same memory";
  finding.preemptions = count_preemptions(trace);
  finding.threads = 2;
  return finding;
}

}  // namespace

std::optional<Finding> RaceAnalysis::check(TraceView trace) {
  std::vector<Finding> all = check_all(trace);
  return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
}

std::vector<Finding> RaceAnalysis::check_all(TraceView trace) {
  std::vector<Finding> findings;
  for (const Race& race : trace.races())
    if (!ignored || !ignored(race)) findings.push_back(finding_of(race, trace));
  return findings;
}

}  // namespace lockstep
