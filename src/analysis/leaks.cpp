// Reports the leak with the lowest address among those that the runtime found.
#include "analysis/leaks.hpp"

#include "model/schedule.hpp"

namespace lockstep {

std::optional<Finding> LeakAnalysis::check(TraceView trace) {
  uint64_t blocks = 0, bytes = 0;
  const Allocation* first = nullptr;
  for (const Allocation& a : trace.allocations()) {
    if (!(a.flags & Allocation::kLeaked)) continue;
    ++blocks;
    bytes += a.size;
    if (!first || a.begin < first->begin) first = &a;  // the same block whatever else was found
  }
  if (!first) return std::nullopt;
  Finding finding;
  finding.kind = FindingKind::Leak;
  finding.preemptions = count_preemptions(trace);
  finding.threads = 1;
  finding.allocation = *first;
  finding.message = "leak: " + std::to_string(bytes) + " bytes in " + std::to_string(blocks) +
                    (blocks == 1 ? " block" : " blocks") + ", allocated by " + name_of(first->thread) +
                    ", are never freed";
  return finding;
}

}  // namespace lockstep
