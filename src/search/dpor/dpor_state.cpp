// What a search has come to: written down, to be gone on with, and told.
#include <algorithm>

#include "analysis/trace_cost.hpp"
#include "model/schedule.hpp"
#include "search/dpor/dpor_search.hpp"

namespace lockstep::dpor {

constexpr uint32_t kNone = ChoiceTree::kNone;
using Status = ChoiceTree::Status;

// The tree is everything: what depends on a path is computed again from the first execution that follows it. Executions
// that came back before their turn are run again. Labels name objects by number, so the numbers are kept.
void DporSearch::save(StateWriter& out) const {
  tree_.save(out);
  out.put<uint64_t>(order_.objects());
  for (uint32_t number = 0; number < order_.objects(); ++number) out.put(order_.object(number).id);
  out.put(static_cast<uint8_t>(started_ && executions_ > 0));
  out.put(static_cast<uint8_t>(failed_ | repeats_ << 1 | !reduces_ << 2 | any_order_ << 3 | in_lanes_ << 4 |
                               one_lane_ << 5));
  for (const uint64_t number : {peak_waiting_, complete_, diverged_, lost_, cut_, executions_ - early_.size()})
    out.put(number);
  if (parts_.order) ranked_.save(out);
}

void DporSearch::for_each_buffered(const std::function<void(TraceView)>& visit) const {
  for (const Early& early : early_) visit(early.trace);
}

void DporSearch::load(StateReader& in) {
  tree_.load(in);
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) (void)order_.number_of(in.get<ObjectId>());
  started_ = in.get<uint8_t>() != 0;
  const auto flags = in.get<uint8_t>();
  failed_ = flags & 1;
  repeats_ = flags & 2;
  reduces_ = !(flags & 4);
  any_order_ = flags & 8;  // who sleeps by whom depends on it, so it stays like that
  in_lanes_ = flags & 16;  // likewise what is still to be known of what has been run
  one_lane_ = flags & 32;
  if (in_lanes_ && parts_.whole_sequences) tree_.keep_guided();
  parts_.sleep_sets = parts_.sleep_sets && reduces_;
  for (uint64_t* number : {&peak_waiting_, &complete_, &diverged_, &lost_, &cut_, &executions_})
    *number = in.get<uint64_t>();
  if (!in.good()) return;
  std::vector<uint32_t> waiting;
  tree_.for_each_live([&](uint32_t node) {
    if (tree_[node].status == Status::Planned && tree_[tree_[node].parent].status == Status::Executed)
      waiting.push_back(node);
  });
  if (!parts_.order) {
    for (const uint32_t node : waiting) wait_for_turn(node);
    return;
  }
  ranked_.load(in, [&waiting](uint32_t node) {
    const auto found = std::find(waiting.begin(), waiting.end(), node);
    if (found == waiting.end()) return false;
    waiting.erase(found);
    return true;
  });
  if (!in.good()) return;
  for (const uint32_t node : waiting) ranked_.push(0, node);  // were under way, so they had gone first
}

// Within a bound on the cost of traces, those count that some execution shows with so few preemptions. In a livelock
// all wait where only rounds of spin loops are left: what comes after that costs nothing.
bool DporSearch::counts(TraceView trace) {
  constexpr uint32_t kMostThreads = 10;  // what a trace of more costs takes too long to find out
  if (!parts_.preemptions || count_preemptions(trace) <= *parts_.preemptions || trace.header().threads > kMostThreads)
    return true;
  const bool stuck = trace.outcome() == Outcome::Livelock;
  if (stuck && trace.header().diverged_at == 0) return true;
  HappensBefore order;
  for (const Step& step : stuck ? trace.steps().first(trace.header().diverged_at) : trace.steps()) order.push(step);
  return !TraceCost().exceeds(order, stuck ? std::span<const Step>() : trace.pending(), *parts_.preemptions);
}

bool DporSearch::complete() const { return tree_.finished() && diverged_ == 0 && lost_ == 0 && cut_ == 0; }

Claim DporSearch::claim() const {
  Claim claim;
  claim.unrepeated = diverged_;
  if (!complete()) return claim;
  claim.scope = Scope::Executions;
  claim.finished = true;
  claim.bounds.preemptions = claim.preemptions_completed = parts_.preemptions;
  claim.by_trace_cost = parts_.preemptions && parts_.give_up;
  if (!parts_.preemptions && parts_.each_trace_once && !failed_ && !repeats_) claim.traces = complete_;
  return claim;
}

SearchStatus DporSearch::status() const {
  return {
      .frontier_nodes = frontier_nodes(), .peak_frontier_nodes = peak_waiting_, .estimated_total = estimated_total()};
}

uint64_t DporSearch::memory_bytes() const {
  return tree_.memory_bytes() + path_bytes() + parked_bytes_ + ranked_.memory_bytes() +
         (2 * turns_.size() + lanes_.size()) * sizeof(uint32_t);
}

// Weighted backtracking (Kilby, Slaney, Thiebaux & Walsh 2006): a finished alternative among b stands for 1/b of what
// lies below its state. Alternatives are still being added, so this tends to be too low at first.
uint64_t DporSearch::estimated_total() const {
  double done = 0, weight = 1;
  for (const PathRecord& at : path_) {
    if (at.node == kNone) continue;
    unsigned all = 0, finished = 0;
    tree_.for_each_child(tree_[at.node].parent, [&](uint32_t c) {
      ++all;
      finished += tree_[c].status == Status::Finished;
    });
    done += weight * finished / all;
    weight /= all;
  }
  return done > 0 ? static_cast<uint64_t>(static_cast<double>(executions_) / done) : 0;
}

}  // namespace lockstep::dpor
