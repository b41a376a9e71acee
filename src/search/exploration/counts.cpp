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
  const Proviso* unrepeated = r.claim.find(ProvisoKind::Nondeterministic);  // seen, or only possible
  const bool missing = lacks(ProvisoKind::Cut) || lacks(ProvisoKind::Lost) || (unrepeated && !unrepeated->why.empty());
  return r.claim.finished && !missing ? Verdict::Pass : Verdict::Incomplete;
}

}  // namespace lockstep
