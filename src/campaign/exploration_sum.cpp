// Adds up explorations.
#include "campaign/exploration_sum.hpp"

#include <algorithm>
#include <iterator>

namespace lockstep {

Exploration sum_of(Exploration before, Exploration last) {
  if (last.estimated_executions > 0) last.estimated_executions += before.executions;
  last.executions += before.executions;
  last.ended += before.ended;
  last.diverged += before.diverged;
  last.cut += before.cut;
  last.cut_for_memory = std::max(last.cut_for_memory, before.cut_for_memory);
  last.lost += before.lost;
  last.without_race_detection += before.without_race_detection;
  last.steps_max = std::max(last.steps_max, before.steps_max);
  last.threads_max = std::max(last.threads_max, before.threads_max);
  last.preemptions_max = std::max(last.preemptions_max, before.preemptions_max);
  last.peak_frontier_nodes = std::max(last.peak_frontier_nodes, before.peak_frontier_nodes);
  last.peak_memory_bytes = std::max(last.peak_memory_bytes, before.peak_memory_bytes);
  last.raced = last.raced || before.raced;
  before.bugs.insert(before.bugs.end(), std::make_move_iterator(last.bugs.begin()),
                     std::make_move_iterator(last.bugs.end()));
  last.bugs = std::move(before.bugs);
  before.warnings.insert(before.warnings.end(), std::make_move_iterator(last.warnings.begin()),
                         std::make_move_iterator(last.warnings.end()));
  last.warnings = std::move(before.warnings);
  if (!last.bugs.empty()) last.verdict = Verdict::Bug;
  return last;
}

}  // namespace lockstep
