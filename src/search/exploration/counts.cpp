// Adds up the counts of executions and derives the verdict.
#include "search/exploration/counts.hpp"

#include <algorithm>

namespace lockstep {

ExecutionSummary summary_of(TraceView trace) {
  const TraceHeader& header = trace.header();
  ExecutionSummary execution;
  execution.decisions = header.decisions;
  execution.threads = header.threads;
  execution.outcome = header.outcome;
  for (const DataRace& race : trace.races()) execution.raced |= race.race();
  execution.without_race_detection = (header.monitors & Monitors::kNoRaces) != 0;
  execution.cut_for_memory = header.outcome == Outcome::StepLimit && header.code != 0;
  return execution;
}

void count(const ExecutionSummary& execution, Exploration& sum) {
  ++sum.executions;
  sum.ended += is_whole(execution.outcome);
  sum.diverged += execution.outcome == Outcome::Diverged;
  sum.cut += execution.outcome == Outcome::StepLimit;
  if (execution.cut_for_memory) sum.cut_for_memory = std::max<uint64_t>(sum.cut_for_memory, execution.decisions);
  sum.lost += execution.outcome == Outcome::WorkerDied;
  sum.without_race_detection += execution.without_race_detection;
  sum.raced |= execution.raced != 0;
  sum.steps_max = std::max(sum.steps_max, execution.decisions);
  sum.threads_max = std::max(sum.threads_max, execution.threads);
}

void count_preemptions_of(uint32_t preemptions, std::vector<uint64_t>& counts) {
  const size_t entry = std::min<size_t>(preemptions, Exploration::kMostPreemptions - 1);
  if (counts.size() <= entry) counts.resize(entry + 1);
  ++counts[entry];
}

void save_counts(StateWriter& out, const Exploration& sum) {
  for (const uint64_t n :
       {sum.executions, sum.ended, sum.diverged, sum.cut, sum.lost, sum.without_race_detection, sum.cut_for_memory})
    out.put(n);
  for (const uint32_t n : {sum.steps_max, sum.threads_max, sum.preemptions_max, sum.blocking_operations}) out.put(n);
  out.put_all(sum.by_preemptions);
  out.put(sum.raced);
}

void load_counts(StateReader& in, Exploration& sum) {
  for (uint64_t* n : {&sum.executions, &sum.ended, &sum.diverged, &sum.cut, &sum.lost, &sum.without_race_detection,
                      &sum.cut_for_memory})
    *n = in.get<uint64_t>();
  for (uint32_t* n : {&sum.steps_max, &sum.threads_max, &sum.preemptions_max, &sum.blocking_operations})
    *n = in.get<uint32_t>();
  sum.by_preemptions = in.get_all<uint64_t>();
  if (sum.by_preemptions.size() > Exploration::kMostPreemptions) in.reject();
  sum.raced = in.get<bool>();
}

bool has_no_choices(TraceView trace) {
  const auto is_choice = [](const Step& step) { return step.is_choice(); };
  return trace.outcome() == Outcome::Ok && trace.header().threads <= 1 && !trace.is_brief() &&
         std::ranges::none_of(trace.steps(), is_choice);
}

Verdict verdict_of(const Exploration& r) {
  if (!r.bugs.empty()) return Verdict::Bug;
  if (r.ending == Ending::Uncontrolled) return Verdict::Uncontrolled;
  if (r.ended == 0) return Verdict::Incomplete;
  if (r.claim.scope == Scope::Sample) return r.ending == Ending::ExecutionBudget ? Verdict::Pass : Verdict::Incomplete;
  const auto lacks = [&r](ProvisoKind kind) { return r.claim.find(kind) != nullptr; };
  const Proviso* unrepeated = r.claim.find(ProvisoKind::Nondeterministic);  // observed, or only possible
  const bool missing = lacks(ProvisoKind::Cut) || lacks(ProvisoKind::Lost) || (unrepeated && !unrepeated->why.empty());
  return r.claim.finished && !missing ? Verdict::Pass : Verdict::Incomplete;
}

}  // namespace lockstep
