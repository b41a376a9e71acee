// The progress reports and the result of an exploration.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "search/exploration/exploration_loop.hpp"

namespace lockstep {

// Until the search finishes at the current pace, or until the budget ends, whichever comes first.
std::optional<double> ExplorationLoop::seconds_left(const Progress& p) const {
  std::optional<double> least;
  const auto at_most = [&least](double seconds) { least = std::max(0.0, least ? std::min(*least, seconds) : seconds); };
  if (budget_.time) at_most(std::chrono::duration<double>(*budget_.time).count() - p.seconds);
  const uint64_t here = result_.executions - executions_loaded_;
  const auto until = [&](uint64_t total) {
    if (here > 0 && total >= result_.executions)
      at_most(static_cast<double>(total - result_.executions) * p.seconds / static_cast<double>(here));
  };
  if (p.estimated_total > 0) until(p.estimated_total);
  if (budget_.executions) until(*budget_.executions);
  return least;
}

void ExplorationLoop::report_progress(Clock::time_point now) const {
  const SearchStatus status = search_.status();
  Progress p;
  p.executions = result_.executions;
  p.seconds = std::chrono::duration<double>(now - start_).count();
  p.phase = status.phase;
  p.frontier = status.frontier_nodes;
  p.estimated_total = estimated_total(status);
  p.bugs = findings_.bugs.size();
  p.seconds_left = seconds_left(p);
  p.by_strategy = status.by_strategy;
  p.preemptions_completed = search_.claim().preemptions_completed;
  hooks_.progress(p);
}

void ExplorationLoop::conclude() {
  Exploration& r = result_;
  const SearchStatus status = search_.status();
  r.seconds = seconds_until(Clock::now());
  r.peak_frontier_nodes = status.peak_frontier_nodes;
  r.contributions = status.contributions;
  noticed_ = findings_.warnings.size();
  for (Finding& prediction : search_.predictions()) findings_.warnings.push_back(std::move(prediction));
  findings_.warn_of_failures_beyond_bound();
  if (budget_.count_traces && !traces_unknown_ && (r.traces = traces_.size()))
    r.redundant = redundant_ + traces_.inserted() - *r.traces;
  r.ending = ending_ && !finished_meanwhile() ? *ending_ : why_nothing_is_left();
  conclude_claim();
  if (!r.claim.finished) r.estimated_executions = estimated_total(status);
  r.bugs = findings_.bugs;
  r.warnings = findings_.warnings;
  r.verdict = verdict_of(r);
}

// A search that starts over claims nothing.
void ExplorationLoop::conclude_claim() {
  Exploration& r = result_;
  if (r.starts_over()) return;
  r.claim = points_missing_ && !draws_ ? Claim{} : search_.claim();
  if (only_execution_ && r.ending == Ending::Finished) claim_everything();
  if (r.ended == 0) r.claim.scope = Scope::None;
  // Also true if the search continued for a while after the bug.
  r.claim.ended_by_bug = !keep_going_ && (!findings_.bugs.empty() || !hooks_.known.empty());
  // If a failure within the bound was found only by schedules above the bound, the bound is not proved.
  if (r.claim.by_trace_cost && findings_.any_beyond_bound() && hooks_.preemption_bound) r.claim.finished = false;
  Evidence evidence{.executions = r.executions,
                    .ended = r.ended,
                    .cut = r.cut,
                    .cut_for_memory = r.cut_for_memory,
                    .diverged = r.diverged,
                    .lost = r.lost,
                    .distinct = r.traces,
                    .failure_not_repeated = findings_.failure_not_repeated(),
                    .raced = r.raced,
                    .without_race_detection = r.without_race_detection,
                    .preemption_bound = hooks_.preemption_bound};
  if (hooks_.complete_evidence) hooks_.complete_evidence(evidence);
  add_provisos(r.claim, evidence);
  if (hooks_.must_repeat && r.claim.find(ProvisoKind::Nondeterministic)) {
    std::fprintf(stderr, "lockstep: %s\n", r.claim.find(ProvisoKind::Nondeterministic)->why.c_str());
    std::abort();
  }
}

// The interrupt, or the end of the time, came with the last execution.
bool ExplorationLoop::finished_meanwhile() const {
  return (ending_ == Ending::Interrupted || ending_ == Ending::TimeBudget) && !points_missing_ &&
         search_.claim().finished;
}

void ExplorationLoop::claim_everything() {
  Claim all{.scope = Scope::Executions, .finished = true};
  all.preemptions_completed = hooks_.preemption_bound;
  all.trusts_code = result_.claim.trusts_code;
  all.preempts_in = result_.claim.preempts_in;
  result_.claim = all;
}

Ending ExplorationLoop::why_nothing_is_left() const {
  const Claim claim = search_.claim();
  if (claim.finished) return Ending::Finished;
  if (claim.ended_early) return Ending::DefaultBudget;
  if (search_.status().out_of_memory) return Ending::MemoryBudget;
  if (interrupted_()) return Ending::Interrupted;
  if (late()) return Ending::TimeBudget;
  return used_up() ? Ending::ExecutionBudget : Ending::Finished;
}

}  // namespace lockstep
