// The state of a DPOR search: saved, loaded, claimed and estimated.
#include <algorithm>

#include "analysis/min_preemptions.hpp"
#include "model/schedule.hpp"
#include "search/base/saved_trace.hpp"
#include "search/dpor/dpor_search.hpp"

namespace lockstep::dpor {

// Paths are not saved: the first execution along a path computes it again. Labels name objects by number, so the
// numbers are saved.
void DporSearch::save(StateWriter& out) const {
  tree_.save(out);
  const HappensBefore& order = path_.order();
  out.put<uint64_t>(order.objects());
  for (uint32_t number = 0; number < order.objects(); ++number) out.put(order.object(number).id);
  out.put(started_);
  out.put(static_cast<uint8_t>(failed_ | repeats_ << 1 | !reduces_ << 2 | tree_.any_order() << 3 | in_lanes_ << 4 |
                               one_lane_ << 5 | out_of_memory_ << 6));
  for (const uint64_t number : {peak_planned_, complete_, diverged_, lost_, cut_, executions_}) out.put(number);
  put_queue(out, under_way_);
  walk_->save(out);
}

void DporSearch::load(StateReader& in) {
  tree_.load(in);
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count)
    (void)path_.order().number_of(in.get<ObjectId>());
  started_ = in.get<bool>();
  const auto flags = in.get<uint8_t>();
  failed_ = flags & 1;
  repeats_ = flags & 2;
  reduces_ = !(flags & 4);
  if (!reduces_) path_.disable_sleep_sets();
  tree_.set_any_order(flags & 8);  // sleep sets depend on it, whatever the walk is now
  use_walk(flags & 16);            // finishing of nodes depends on it
  one_lane_ = flags & 32;
  out_of_memory_ = flags & 64;
  if (in_lanes_ && parts_.whole_sequences) tree_.keep_guided();
  for (uint64_t* number : {&peak_planned_, &complete_, &diverged_, &lost_, &cut_, &executions_})
    *number = in.get<uint64_t>();
  under_way_ = get_queue<UnderWay>(in);
  for (const UnderWay& plan : under_way_)
    if ((plan.head != kNone && !tree_.holds(plan.head)) || plan.lane >= parts_.lanes) return in.reject();
  walk_->load(in);
}

// Within a bound on the cost of traces, a trace counts if one of its executions has at most that many preemptions. In a
// livelock all threads wait once only rounds of spin loops are left: the steps after that cost nothing.
bool DporSearch::counts(TraceView trace) {
  constexpr uint32_t kMostThreads = 10;  // computing the cost takes too long with more threads
  if (!parts_.preemptions || count_preemptions(trace) <= *parts_.preemptions || trace.header().threads > kMostThreads)
    return true;
  const bool stuck = trace.outcome() == Outcome::Livelock;
  if (stuck && trace.header().last_rounds == 0) return true;
  HappensBefore order;
  for (const Step& step : stuck ? trace.steps().first(trace.header().last_rounds) : trace.steps()) order.push(step);
  return !MinPreemptions().exceeds(order, stuck ? std::span<const Step>() : trace.pending(), *parts_.preemptions);
}

Claim DporSearch::claim() const {
  Claim claim;
  claim.unrepeated = diverged_;
  if (!tree_.finished() || diverged_ + lost_ + cut_ > 0) return claim;
  claim.scope = Scope::Executions;
  claim.finished = true;
  claim.bounds.preemptions = claim.preemptions_completed = parts_.preemptions;
  claim.by_trace_cost = parts_.preemptions && parts_.is_beyond_bound;
  if (!parts_.preemptions && parts_.each_trace_once && !failed_ && !repeats_) claim.traces = complete_;
  return claim;
}

SearchStatus DporSearch::status() const {
  return {.frontier_nodes = walk_->size(),
          .peak_frontier_nodes = peak_planned_,
          .out_of_memory = out_of_memory_,
          .estimated_total = estimated_total()};
}

uint64_t DporSearch::memory_bytes() const {
  return tree_.memory_bytes() + path_.memory_bytes() + walk_->memory_bytes();
}

// Weighted backtracking (Kilby, Slaney, Thiebaux & Walsh 2006): one of b alternatives that has finished stands for 1/b
// of the executions below its state. More alternatives are still to be added, so the estimate tends to be too low at
// first.
uint64_t DporSearch::estimated_total() const {
  double done = 0, weight = 1;
  for (uint32_t record = 0; record < path_.size(); ++record) {
    if (path_.node(record) == kNone) continue;
    unsigned all = 0, finished = 0;
    tree_.for_each_child(path_.state(record), [&](uint32_t c) {
      ++all;
      finished += tree_[c].status == ChoiceTree::Status::Finished;
    });
    done += weight * finished / all;
    weight /= all;
  }
  return done > 0 ? static_cast<uint64_t>(static_cast<double>(executions_) / done) : 0;
}

}  // namespace lockstep::dpor
