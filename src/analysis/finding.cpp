// Names of the kinds of findings, and which kinds are warnings.
#include "analysis/finding.hpp"

#include <iterator>

namespace lockstep {

const char* name_of(FindingKind kind) {
  static constexpr const char* kNames[] = {
      "assertion",    "deadlock",       "livelock",         "data-race",   "crash",          "abort",
      "exception",    "use-after-free", "double-free",      "lock-misuse", "lock-order",     "lock-discipline",
      "sc-violation", "leak",           "not-linearizable", "exit-code",   "nondeterminism", "timing"};
  static_assert(std::size(kNames) == static_cast<size_t>(FindingKind::kCount), "one name per kind");
  return kind < FindingKind::kCount ? kNames[static_cast<size_t>(kind)] : "?";
}

bool is_warning(FindingKind kind) {
  return kind == FindingKind::LockOrder || kind == FindingKind::LockDiscipline || kind == FindingKind::ScViolation ||
         kind == FindingKind::Nondeterminism || kind == FindingKind::Timing;
}

void Finding::take_evidence(const Finding& replay) {
  preemptions = replay.preemptions;
  variables = replay.variables;
  threads = replay.threads;
  race = replay.race;
  allocation = replay.allocation;
  steps = replay.steps;
  lock_cycle = replay.lock_cycle;
}

std::string name_of(ThreadId thread) {
  return thread == kMainThread ? "main" : "thread " + std::to_string(index_of(thread));
}

}  // namespace lockstep
