#include "cli/promotion.hpp"

#include <algorithm>
#include <iterator>

namespace lockstep {

bool Promotion::grow(TraceView trace) {
  if (!wanted_) return false;
  const size_t before = places_.size();
  for (const DataRace& race : trace.races())
    for (const RaceAccess* access : {&race.first, &race.second}) {
      // Atomic accesses are points already; freeing is none, the accesses it races with are.
      if (access->atomic() || (access->flags & RaceAccess::kFree)) continue;
      if (places_.size() >= kMaxPromoted && !places_.contains(access->pc))
        full_ = true;
      else
        places_.insert(access->pc);
    }
  return places_.size() > before;
}

Exploration together(Exploration before, Exploration last) {
  last.executions += before.executions;
  last.diverged += before.diverged;
  last.cut += before.cut;
  last.seconds += before.seconds;
  last.steps_max = std::max(last.steps_max, before.steps_max);
  last.threads_max = std::max(last.threads_max, before.threads_max);
  last.preemptions_max = std::max(last.preemptions_max, before.preemptions_max);
  last.peak_frontier_nodes = std::max(last.peak_frontier_nodes, before.peak_frontier_nodes);
  last.peak_memory_bytes = std::max(last.peak_memory_bytes, before.peak_memory_bytes);
  last.raced = last.raced || before.raced;
  before.bugs.insert(before.bugs.end(), std::make_move_iterator(last.bugs.begin()), std::make_move_iterator(last.bugs.end()));
  last.bugs = std::move(before.bugs);
  before.warnings.insert(before.warnings.end(), std::make_move_iterator(last.warnings.begin()),
                         std::make_move_iterator(last.warnings.end()));
  last.warnings = std::move(before.warnings);
  if (!last.bugs.empty()) last.verdict = Verdict::Bug;
  return last;
}

}  // namespace lockstep
