// Classifies and describes the races of a trace.
#include "analysis/race_analysis.hpp"

#include <optional>
#include <tuple>

#include "analysis/bounds.hpp"

namespace lockstep {
namespace {

std::string verb_of(const RaceAccess& access) {
  if (access.flags & RaceAccess::kSync) return "uses";
  if (access.flags & RaceAccess::kFree) return "frees";
  if (access.atomic()) return access.write() ? "atomically writes" : "atomically reads";
  return access.write() ? "writes" : "reads";
}

bool frees(const RaceAccess& access) { return access.flags & RaceAccess::kFree; }

// Memory that was freed before the access in this execution. Ordered or not, this is worse than a race.
bool freed_first(const DataRace& race) {
  return !race.unlocked() && !race.misuse() && frees(race.first) && !frees(race.second);
}

// True if no call of free() ended the memory: a stack frame or a thread ended.
bool ends_frame(const RaceAccess& access) { return frees(access) && access.pc == 0; }

// If the access came before the free without being ordered before it, another schedule frees the memory first.
FindingKind kind_of(const DataRace& race) {
  const bool could_be = !race.unlocked() && frees(race.second) && !frees(race.first);
  return freed_first(race) || could_be ? FindingKind::UseAfterFree : FindingKind::DataRace;
}

Finding finding_of(const DataRace& race, const ScheduleBounds& bounds) {
  Finding finding;
  finding.kind = kind_of(race);
  finding.race = race;
  finding.preemptions = bounds.preemptions;
  finding.variables = bounds.variables;
  finding.threads = race.first.thread == race.second.thread ? 1 : 2;
  if (finding.kind == FindingKind::UseAfterFree && (ends_frame(race.first) || ends_frame(race.second))) {
    const auto& [ended, used] =
        ends_frame(race.first) ? std::tie(race.first, race.second) : std::tie(race.second, race.first);
    finding.message = "use after return: " + name_of(used.thread) + " " + verb_of(used) + " a local variable of " +
                      name_of(ended.thread) +
                      (ends_frame(race.first) ? " after its function returned" : ", which may return first");
    return finding;
  }
  if (finding.kind == FindingKind::UseAfterFree && !freed_first(race)) {
    finding.message = "use after free: " + name_of(race.second.thread) + " frees memory that " +
                      name_of(race.first.thread) + " " + verb_of(race.first) + "; no synchronisation orders them";
    return finding;
  }
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

std::vector<Finding> RaceAnalysis::check_all(TraceView trace) {
  std::vector<Finding> findings;
  std::optional<ScheduleBounds> bounds;  // the same for all races of an execution
  for (const DataRace& race : trace.races()) {
    // A use of freed memory is not a race: suppressing the race does not hide the use.
    const bool counts = freed_first(race) || (races_count && race.race() && !(ignored && ignored(race)));
    if (!counts) continue;
    if (!bounds) bounds = bounds_of(trace);
    findings.push_back(finding_of(race, *bounds));
    if (doubt && !freed_first(race)) findings.back().doubt = doubt(race);
  }
  return findings;
}

}  // namespace lockstep
