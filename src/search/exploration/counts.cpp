#include "search/exploration/counts.hpp"

#include <algorithm>

namespace lockstep {

void count(TraceView trace, Exploration& sum) {
  const TraceHeader& header = trace.header();
  ++sum.executions;
  sum.ended += is_whole(header.outcome);
  sum.diverged += header.outcome == Outcome::Diverged;
  sum.cut += header.outcome == Outcome::StepLimit;
  if (header.outcome == Outcome::StepLimit && header.code != 0)
    sum.cut_for_memory = std::max<uint64_t>(sum.cut_for_memory, header.decisions);
  sum.lost += header.outcome == Outcome::WorkerDied;
  sum.without_race_detection += (header.monitors & Monitors::kNoRaces) != 0;
  for (const DataRace& race : trace.races()) sum.raced = sum.raced || race.race();
  sum.steps_max = std::max(sum.steps_max, header.decisions);
  sum.threads_max = std::max(sum.threads_max, header.threads);
}

void count_preemptions_of(uint32_t preemptions, std::vector<uint64_t>& counts) {
  const size_t entry = std::min<size_t>(preemptions, Exploration::kMostPreemptions - 1);
  if (counts.size() <= entry) counts.resize(entry + 1);
  ++counts[entry];
}

}  // namespace lockstep
