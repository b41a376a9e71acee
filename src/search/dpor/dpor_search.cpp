// Learns executions: extends the path, reverses races and plans the next executions.
#include "search/dpor/dpor_search.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace lockstep::dpor {
namespace {

using Status = ChoiceTree::Status;

// How wakeup trees handle these steps relies on everything before them being finished. They are data choices, whose
// outcome is part of a sequence, and steps that may act differently in another order. The test goes by what a step
// could do, so usually the first execution shows the need.
bool needs_one_lane(const Step& step) {
  using enum OpKind;
  return step.kind == Choose || step.kind == CondSignal || step.kind == FutexWake || step.kind == Io ||
         step.kind == Timer || is_conditional(step.kind, step.flags);
}

uint16_t value_of(const Step& step) { return step.is_choice() ? step.taken() : static_cast<uint16_t>(step.thread); }

}  // namespace

DporSearch::DporSearch(DporParts parts)
    : parts_(std::move(parts)),
      path_(tree_, parts_.lanes, parts_.sleep_sets, parts_.mistakes),
      planner_(path_, tree_, *parts_.reversal, parts_.mistakes.observed_labels) {
  use_walk(parts_.lanes > 1 && !parts_.whole_sequences);
  tree_.set_any_order(parts_.order || in_lanes_);
  plan_.max_steps = parts_.max_steps;
  plan_.stacks = parts_.order && parts_.order->stacks;
}

void DporSearch::use_walk(bool in_lanes) {
  in_lanes_ = in_lanes;
  walk_ = parts_.order ? make_best_first_walk(tree_, path_, *parts_.order)
          : in_lanes   ? make_lanes_walk(tree_, path_, parts_.lanes, parts_.for_one_worker, max_bytes_)
                       : make_depth_first_walk(tree_, max_bytes_);
  planner_.use(*walk_);
}

std::optional<Plan> DporSearch::next() {
  Plan& plan = plan_;
  plan.deltas.clear();
  plan.sleep.clear();
  plan.sleep_at = kNoStep;
  if (out_of_memory_ || out_of_time_) return std::nullopt;
  if (part_ && (part_->left == 0 || part_->abandoned != Abandoned::No)) return std::nullopt;
  if (!started_) {
    started_ = true;
    if (part_) --part_->left;
    under_way_.push_back({kRoot, path_.lane()});
    walk_->occupy(path_.lane());
    return std::move(plan);
  }
  if (under_way_.size() >= parts_.window) return std::nullopt;
  const uint32_t head = walk_->next(!under_way_.empty());
  if (head == kNone) return std::nullopt;
  if (part_) --part_->left;
  tree_.hand_out(head);
  under_way_.push_back({head, path_.lane()});
  tree_.add_deltas(head, plan.deltas);
  for (uint32_t c = tree_[head].first; c != kNone; c = tree_[c].first)
    plan.deltas.push_back({kNextDecision, tree_[c].value, tree_[c].data});
  if (parts_.whole_sequences) plan.deltas.back().tentative = true;
  path_.plan_sleep_set(head, plan);
  return std::move(plan);  // recycle() returns it
}

void DporSearch::learn(TraceView trace) {
  if (under_way_.empty()) return;  // the saved search was forged
  const auto [head, lane] = under_way_.front();
  under_way_.pop_front();
  measures_.reset();
  walk_->release(lane);
  if (head == kNone || (part_ && part_->abandoned != Abandoned::No)) return;
  const Reduction allowed = allowed_by(trace.reasons(), parts_.method);
  if (reduces_ && allowed > Reduction::OneLane) return abandon(Abandoned::Reduction);
  if (parts_.whole_sequences && parts_.lanes > 1 && !one_lane_) {
    // The steps before the new decision have been checked in earlier executions.
    const size_t known = std::max(tree_[head].record, 1u) - 1;
    const auto fresh = trace.steps().subspan(std::min(known, trace.steps().size()));
    one_lane_ = allowed == Reduction::OneLane || std::ranges::any_of(fresh, needs_one_lane);
    if (one_lane_ && in_lanes_) return start_over();
  }
  ++executions_;
  if (head == kRoot) walk_->expect_records(trace.steps().size());
  if (walk_->defer(head, trace)) return;
  learn_now(head, trace);
  const std::optional<Measures> measures = measures_;
  while (const DeferredTrace* due = is_void() ? nullptr : walk_->take_deferred()) learn_now(due->head, due->trace);
  if (!is_void() && parts_.lanes > 1 && !in_lanes_ && reduces_ && !one_lane_ && executions_ >= parts_.before_lanes)
    enter_lanes(trace.steps().size());
  if (planner_.gave_up() != Planner::GaveUp::No)
    give_up();
  else if (abandons_)
    abandon(Abandoned::Reduction);
  measures_ = measures;
}

// Traces that came back early were planned in the order of siblings, as lanes need it; so were the plans under way.
void DporSearch::enter_lanes(size_t records) {
  const std::unique_ptr<Walk> before = std::move(walk_);
  use_walk(true);
  walk_->expect_records(records);  // NOLINT(clang-analyzer-cplusplus.Move): use_walk has made it
  if (!parts_.mistakes.forget_guided) tree_.keep_guided();
  for (const uint32_t node : tree_.available()) walk_->add(node);
  for (const DeferredTrace& early : before->deferred())
    if (!is_void()) learn_now(early.head, early.trace);
}

// Not all races of the last execution were reversed, so the planned nodes do not cover the rest. With more time the
// search starts anew.
void DporSearch::give_up() {
  const bool memory = planner_.gave_up() == Planner::GaveUp::OutOfMemory;
  planner_.try_again();
  abandon(memory ? Abandoned::Memory : Abandoned::Time);
}

void DporSearch::reduce_nothing() {
  reduces_ = false;
  path_.disable_sleep_sets();
  start_over();
  repeats_ = true;
}

void DporSearch::start_over() {
  abandons_ = started_ = failed_ = repeats_ = false;
  for (UnderWay& plan : under_way_) plan.head = kNone;
  if (in_lanes_ && !parts_.whole_sequences)
    walk_->clear();
  else
    use_walk(false);
  path_.clear();
  tree_ = {};
  tree_.set_any_order(parts_.order || (in_lanes_ && !parts_.whole_sequences));
  executions_ = complete_ = diverged_ = lost_ = cut_ = 0;
}

void DporSearch::learn_now(uint32_t head, TraceView trace) {
  const uint64_t planned = walk_->size();
  if (head == kRoot || !chose_unforeseen(head, trace)) learn_outcome(head, trace);
  if (walk_->size() > planned) peak_planned_ = std::max(peak_planned_, walk_->size());
  assert(is_void() || !tree_.finished() || walk_->size() == 0);
}

void DporSearch::learn_outcome(uint32_t head, TraceView trace) {
  const Outcome outcome = trace.outcome();
  const bool lost = outcome == Outcome::WorkerDied || outcome == Outcome::Uncontrolled;
  const bool diverged = outcome == Outcome::Diverged, cut = outcome == Outcome::StepLimit;
  const uint64_t planned = walk_->size();
  lost_ += lost;
  cut_ += cut;
  complete_ += !lost && !diverged && !cut && outcome != Outcome::Redundant;
  if (!lost && !diverged && explore(head, trace)) return;
  // The last step of the plan would have come before the step that it waits for.
  const bool impossible = trace.header().redundancy == Redundancy::CannotGoOn;
  // Nodes planned before the execution left its plan would be lost. The search then gives up reduction.
  abandons_ = reduces_ && walk_->size() > planned;
  diverged_ += !lost && !impossible && !abandons_;
  path_.truncate(0);
  tree_.finish(head);
}

// A step may act differently in another order, and then be followed by a data choice instead of the rest of its
// sequence. Source sets then explore what follows the step, and the node is run again.
bool DporSearch::chose_unforeseen(uint32_t head, TraceView trace) {
  const std::span<const Step> steps = trace.steps();
  if (trace.header().redundancy != Redundancy::UnforeseenChoice) return false;
  uint32_t node = head, other = head;
  for (uint32_t r = tree_[head].record; r + 1 < steps.size(); ++r) {
    if (steps[r].is_note()) continue;
    if (node == kNone || tree_[node].value != value_of(steps[r])) return false;
    if (tree_[node].uncertain) other = node;
    node = tree_[node].first;
  }
  if (node == kNone || tree_[node].data) return false;
  tree_.cut_off(other);
  tree_[other].by_source_sets = true;
  tree_[other].extensible = false;
  tree_[head].status = Status::Planned;
  walk_->add(head);
  repeats_ = true;
  return true;
}

// False: the program did not follow the plan.
bool DporSearch::explore(uint32_t head, TraceView trace) {
  const std::span<const Step> steps = trace.steps();
  const uint32_t first = tree_[head].record;
  if (head != kRoot && (first >= steps.size() || steps[first].is_note() || value_of(steps[first]) != tree_[head].value))
    return false;
  // A data choice is part of the step before it (which thread a signal woke), so that step is new as well.
  uint32_t top = head;
  while (tree_[top].data) top = tree_[top].parent;
  path_.begin(trace, top);
  walk_->examine(head, trace);
  failed_ |= path_.ending() != kNone;
  const uint32_t fresh = path_.size(), end = path_.end();
  uint32_t state = top == kRoot ? kRoot : tree_[top].parent;
  if (!extend_path(head, state)) return false;
  if (reduces_ && parts_.whole_sequences) reverse_whole_sequences(fresh);
  if (path_.size() == end) {
    measures_ = {path_.fingerprint(), end == 0 ? 0 : path_.preemptions_through(end - 1)};
    if (tree_[state].first != kNone && !tree_[state].label.ends) return false;  // ended before the plan did
    if (reduces_) planner_.reverse_pending(state == kRoot ? kNone : tree_[state].record);
  }
  top = tree_.finish(state);
  path_.truncate(top == kRoot ? 0 : tree_[top].record);
  return true;
}

// Appends the rest of the trace to the path and plans the reversals of each step, unless they need whole sequences. At
// the end, `state` is the last node.
bool DporSearch::extend_path(uint32_t head, uint32_t& state) {
  const std::span<const Step> steps = path_.trace().steps();
  const uint32_t end = path_.end();
  const uint32_t end_of_races = reduces_ && !parts_.whole_sequences ? path_.stuck_at() : 0;
  for (uint32_t i = path_.size(); i < end; ++i) {
    if (steps[i].is_note()) {
      path_.append(kNone);
      if (i < end_of_races) repeats_ |= planner_.reverse_timed_wait(i, i);
      continue;
    }
    state = take(head, state, i);
    if (state == kNone) return false;
    path_.append(state);
    execute(state, i);
    if (tree_[state].data) continue;
    if (!reduces_)
      planner_.plan_enabled(i, parts_.preemptions);
    else if (i < end_of_races)
      planner_.reverse_step(i, i);
    if (parts_.is_beyond_bound && parts_.is_beyond_bound(path_, i)) break;
  }
  return true;
}

// The node of the decision at `record`, taken in `state`. A new state may have a sequence to follow; its other branches
// become available.
uint32_t DporSearch::take(uint32_t head, uint32_t state, uint32_t record) {
  const Step& step = path_.trace().steps()[record];
  const uint16_t value = value_of(step);
  if (head != kRoot && record <= tree_[head].record) return tree_.child(state, value);
  tree_[state].guided = tree_[state].first != kNone;
  if (tree_[state].guided) {
    const uint32_t node = tree_[state].first;
    if (tree_[node].value != value || tree_[node].data != step.is_choice()) return kNone;
    for (uint32_t c = tree_[node].next; c != kNone; c = tree_[c].next) {
      tree_[c].record = record;
      walk_->add(c);
    }
    return node;
  }
  Label label;
  label.thread = step.thread;
  const uint32_t node = tree_.add(state, value, label, step.is_choice());
  if (step.is_choice()) planner_.plan_data(state, record);
  return node;
}

// Sets the label of `node` from the newest record of the path.
void DporSearch::execute(uint32_t node, uint32_t record) {
  ChoiceTree::Node& n = tree_[node];
  const bool planned = n.status != Status::Executed && n.label.uses > 0;
  n.status = Status::Executed;
  n.record = record;
  n.by_default = n.data ? n.value == 0 : path_.by_default(record);
  n.deviation = tree_.nearest_deviation(n.parent);
  if (n.data) {
    repeats_ |= tree_.any_order();  // see ChoiceTree::may_sleep
    return;
  }
  const Event& event = path_.order()[record];
  if (!planned || !parts_.mistakes.observed_labels) n.label = label_of(event);
  n.label.ends |= record == path_.ending();
  repeats_ |= n.by_source_sets || event.flags & (Step::kTimed | Step::kTimedOut);
}

void DporSearch::reverse_whole_sequences(uint32_t fresh) {
  const bool certain = path_.is_certain() && !failed_;
  const uint32_t end = std::min(path_.size(), path_.stuck_at());
  for (uint32_t i = certain ? fresh : 0; i < end; ++i) {
    if (path_.is_step(i))
      planner_.reverse_step(i, certain ? i : end);
    else
      repeats_ |= planner_.reverse_timed_wait(i, certain ? i : end);
  }
}

}  // namespace lockstep::dpor
