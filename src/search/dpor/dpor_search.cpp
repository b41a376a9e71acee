#include "search/dpor/dpor_search.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "model/schedule.hpp"

namespace lockstep::dpor {
namespace {

constexpr uint32_t kNone = ChoiceTree::kNone;

// Which kinds of operations there are among some steps, and which flags: all of them are looked through, so that is to
// be quick.
struct Kinds {
  uint64_t kinds = 0;
  uint8_t flags = 0;
  bool any(uint64_t of) const { return kinds & of; }
};
static_assert(static_cast<unsigned>(OpKind::kCount) <= 64);

constexpr uint64_t bit(OpKind kind) { return uint64_t{1} << static_cast<unsigned>(kind); }
constexpr uint64_t kChoices = bit(OpKind::Choose);
constexpr uint64_t kTries =
    bit(OpKind::TryReadLock) | bit(OpKind::TryWriteLock) | bit(OpKind::ReadLock) | bit(OpKind::WriteLock);

Kinds kinds_of(std::span<const Step> steps) {
  Kinds all;
  for (const Step& step : steps) {
    all.kinds |= bit(step.kind);
    if (!(bit(step.kind) & kTries)) all.flags |= step.flags;  // see is_conditional
  }
  return all;
}

// What wakeup trees do about these rests on everything before it being finished: choices, whose outcome is part of a
// sequence, and steps that may do something else in another order. Seen by what may have them, so that mostly the first
// execution shows it.
bool needs_one_lane(const Kinds& fresh) {
  constexpr uint64_t special =
      kChoices | bit(OpKind::CondSignal) | bit(OpKind::FutexWake) | bit(OpKind::Io) | bit(OpKind::Timer);
  return fresh.any(special) || is_conditional(OpKind::kCount, fresh.flags);
}

constexpr uint32_t kForgotten = kNone - 1;  // under way, for a search that was given up
using Status = ChoiceTree::Status;

uint16_t value_of(const Step& step) { return step.is_choice() ? step.value : static_cast<uint16_t>(step.thread); }

}  // namespace

DporSearch::DporSearch(DporParts parts)
    : parts_(std::move(parts)),
      lanes_(std::max(parts_.lanes, 1u)),
      in_lanes_(parts_.lanes > 1 && !parts_.whole_sequences),
      any_order_(parts_.order || in_lanes_),
      parked_(lanes_.count()) {
  for (unsigned lane = 0; lane < lanes_.count(); ++lane) idle_.push_back(lane);
  plan_.max_steps = parts_.max_steps;
  finder_.overlooks = parts_.overlooks;
  plan_.stacks = parts_.order && parts_.order->stacks;
}

void DporSearch::learn(TraceView trace) {
  assert(!in_flight_.empty());
  const auto [head, lane] = in_flight_.front();
  in_flight_.pop_front();
  measures_.reset();
  if (in_lanes_) {
    if (std::ranges::find(idle_, lane) == idle_.end()) idle_.push_back(lane);  // was under way twice before the lanes
    enter(lane);
  }
  if (head == kForgotten) return;
  // What comes before the decision that is new has been looked at.
  const size_t known = head == kNone || tree_[head].record == 0 ? 0 : tree_[head].record - 1;
  const auto fresh = trace.steps().subspan(std::min(known, trace.steps().size()));
  const Kinds kinds = kinds_of(fresh);
  const Reduction allowed = allowed_by(trace.reasons(), parts_.method);
  if (reduces_ && allowed > Reduction::OneLane) return reduce_nothing();
  if (parts_.whole_sequences && parts_.lanes > 1 && !one_lane_ &&
      (allowed == Reduction::OneLane || needs_one_lane(kinds))) {
    one_lane_ = true;
    if (in_lanes_) return start_over();
  }
  ++executions_;
  if (in_lanes_ && head == kNone) limit_lanes(trace.steps().size());
  if (any_order_ || in_lanes_) {
    learn_now(head, trace);
    if (abandons_) reduce_nothing();
    return;
  }
  if (head != kNone && head != turn()) return keep(head, trace);
  learn_now(head, trace);
  if (abandons_) return reduce_nothing();
  const std::optional<Measures> measures = measures_;
  for (uint32_t due = turn(); due != kNone; due = turn()) {
    const auto found = std::find_if(early_.begin(), early_.end(), [due](const Early& e) { return e.head == due; });
    if (found == early_.end()) break;
    learn_now(due, found->trace);
    if (abandons_) return reduce_nothing();
    spare_.push_back(std::move(*found));
    early_.erase(found);
  }
  if (parts_.lanes > 1 && reduces_ && !one_lane_ && executions_ >= parts_.before_lanes)
    enter_lanes(trace.steps().size());
  measures_ = measures;
}

// What came back before its turn did so in the order of siblings, and what is under way will.
void DporSearch::enter_lanes(size_t records) {
  in_lanes_ = true;
  limit_lanes(records);
  if (!parts_.forget_guided) tree_.keep_guided();
  tree_.for_each_live([this](uint32_t node) {
    if (tree_[node].status == Status::Planned && tree_[tree_[node].parent].status == Status::Executed)
      wait_for_turn(node);
  });
  plans_ = turns_ = {};
  for (Early& early : early_) {
    learn_now(early.head, early.trace);
    if (abandons_) return reduce_nothing();
  }
  early_.clear();
}

void DporSearch::reduce_nothing() {
  reduces_ = parts_.sleep_sets = false;
  start_over();
  repeats_ = true;
}

void DporSearch::start_over() {
  abandons_ = false;
  started_ = failed_ = repeats_ = false;
  if (parts_.whole_sequences) in_lanes_ = false;
  for (UnderWay& plan : in_flight_) plan.head = kForgotten;
  early_.clear();
  plans_ = turns_ = {};
  ranked_ = {};
  lanes_ = Lanes(lanes_.count());
  forget(0);
  for (Parked& lane : parked_) {
    lane.path.clear();
    lane.sleepers.clear();
    lane.order.truncate(0);
    lane.fingerprint.truncate(0);
  }
  tree_ = {};
  executions_ = complete_ = diverged_ = lost_ = cut_ = 0;
}

void DporSearch::plan_everybody(uint32_t record) {
  const ScheduleCursor at(*trace_, record, 0);
  trace_->enabled(trace_->steps()[record]).for_each([&](ThreadId t) {
    if (parts_.preemptions && preemptions(record) + at.cost(t) > *parts_.preemptions) return;
    Label label;
    label.thread = t;
    if (tree_.child(state(record), static_cast<uint16_t>(t)) == kNone) plan(record, t, label);
  });
}

void DporSearch::keep(uint32_t head, TraceView trace) {
  if (spare_.empty()) spare_.emplace_back();
  early_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  early_.back().head = head;
  early_.back().trace.assign(trace);
}

void DporSearch::learn_now(uint32_t head, TraceView trace) {
  if (head != kNone && !any_order_ && !in_lanes_) turns_.pop();
  trace_ = trace;
  if (head != kNone && chose_unforeseen(head)) {
    trace_.reset();
    return;
  }
  const Outcome outcome = trace.outcome();
  bool followed = false;
  if (outcome == Outcome::WorkerDied || outcome == Outcome::Uncontrolled) {
    ++lost_;  // nobody knows what it would have done
  } else if (outcome == Outcome::Diverged) {
    ++diverged_;
  } else {
    if (outcome == Outcome::StepLimit)
      ++cut_;
    else if (outcome != Outcome::SleepBlocked)
      ++complete_;
    const uint64_t waiting = frontier_nodes();
    followed = explore(head);
    // Its last step would have come before what it has to wait for.
    const bool impossible = outcome == Outcome::SleepBlocked && trace.header().diverged_at != 0 &&
                            trace.header().diverged_at >= trace.steps().size();
    // What the execution had planned before it left its plan would be lost: then nothing is reduced.
    abandons_ = !followed && reduces_ && frontier_nodes() > waiting;
    if (!followed && !impossible && !abandons_) ++diverged_;
  }
  if (!followed) {
    forget(0);
    tree_.finish(head == kNone ? ChoiceTree::kRoot : head);
  }
  trace_.reset();
  assert(!tree_.finished() || frontier_nodes() == 0);
}

// A step may do something else than where it was seen, and then be followed by a data choice instead of the rest of its
// sequence. So what follows it is left to source sets, and it is run again.
bool DporSearch::chose_unforeseen(uint32_t head) {
  const std::span<const Step> steps = trace_->steps();
  const uint32_t at = trace_->header().diverged_at;
  if (trace_->outcome() != Outcome::SleepBlocked || at == 0 || at >= steps.size()) return false;
  uint32_t node = head, other = head;
  for (uint32_t r = tree_[head].record; r < at; ++r) {
    if (steps[r].is_note()) continue;
    if (node == kNone || tree_[node].value != value_of(steps[r])) return false;
    if (tree_[node].uncertain) other = node;
    node = tree_[node].first;
  }
  if (node == kNone || tree_[node].data) return false;
  tree_.cut_off(other);
  tree_[other].loose = true;
  tree_[other].open_end = false;
  tree_[head].status = Status::Planned;
  wait_for_turn(head);
  repeats_ = true;
  return true;
}

// Notes behind the last step order nothing any more, unless somebody is still about to do something or could have given
// up to wait. In many executions they are the most of what is new.
uint32_t DporSearch::end_of_interest() const {
  const std::span<const Step> steps = trace_->steps();
  auto end = static_cast<uint32_t>(steps.size());
  if (!trace_->pending().empty()) return end;
  for (; end > 0 && steps[end - 1].is_note(); --end)
    if (is_conditional(steps[end - 1].kind, steps[end - 1].flags)) return static_cast<uint32_t>(steps.size());
  const bool timed = end > 0 && !trace_->timed(steps[end - 1]).empty();
  return timed ? static_cast<uint32_t>(steps.size()) : end;
}

// False: the program did not do what was planned.
bool DporSearch::explore(uint32_t head) {
  const std::span<const Step> steps = trace_->steps();
  const uint32_t first = head == kNone ? 0 : tree_[head].record;
  if (head != kNone && (first >= steps.size() || steps[first].is_note() || value_of(steps[first]) != tree_[head].value))
    return false;
  // A data choice is part of what the step before it did (whom a signal woke), so that step is a new one, too.
  uint32_t top = head;
  while (top != kNone && tree_[top].data) top = tree_[top].parent;
  if (top == ChoiceTree::kRoot) top = kNone;  // chosen before anybody took a step
  load_trace(top);
  if (parts_.order) {
    plan_.deltas.clear();
    if (head != kNone) plan_prefix(head, plan_);
    parts_.order->look(*trace_, plan_.deltas);
  }
  const uint32_t ending = ending_step(), stuck = stuck_at();
  failed_ |= ending != kNone;
  const auto fresh = static_cast<uint32_t>(path_.size());
  const uint32_t end = end_of_interest();
  chooses_ = true;
  uint32_t state = top == kNone ? ChoiceTree::kRoot : tree_[top].parent;
  for (uint32_t i = fresh; i < end; ++i) {
    if (steps[i].is_note()) {
      append(kNone);
      if (reduces_ && !parts_.whole_sequences && i < stuck) give_up_instead(i, i);
      continue;
    }
    const uint32_t node = take(head, state, i);
    if (node == kNone) return false;
    append(node);
    ChoiceTree::Node& n = tree_[node];
    const bool planned = n.status != Status::Executed && n.label.uses > 0;
    n.status = Status::Executed;
    n.record = i;
    n.by_default = n.data ? n.value == 0 : path_.back().by_default;
    n.deviation = nearest_deviation(n.parent);
    state = node;
    repeats_ |= n.data && any_order_;  // see may_sleep
    if (n.data) continue;
    if (!planned || !parts_.observed_labels) n.label = label_of(order_[i]);
    n.label.ends |= i == ending;
    const bool timed = steps[i].flags & (Step::kTimed | Step::kTimedOut);
    repeats_ |= n.loose || timed;
    if (!reduces_)
      plan_everybody(i);
    else if (!parts_.whole_sequences && i < stuck)
      reverse_step(i, i);
    if (parts_.give_up && parts_.give_up(*this, i)) break;
  }
  chooses_ = path_.empty() || path_.back().chose || path_.size() < end;
  if (reduces_ && parts_.whole_sequences) {
    const bool short_ones = certain();
    for (uint32_t i = short_ones ? fresh : 0; i < std::min(order_.size(), stuck); ++i) {
      const uint32_t before = short_ones ? i : std::min(order_.size(), stuck);
      if (is_step(i))
        reverse_step(i, before);
      else
        give_up_instead(i, before);
    }
  }
  const bool complete = path_.size() == end;
  if (complete) {
    measures_ = {fingerprint_.value(), end == 0 ? 0 : preemptions_through(end - 1)};
    if (tree_[state].first != kNone && !tree_[state].label.ends) return false;  // ended before the plan did
    if (reduces_) find_pending_races(state == ChoiceTree::kRoot ? kNone : tree_[state].record);
  }
  top = tree_.finish(state);
  forget(top == ChoiceTree::kRoot ? 0 : tree_[top].record);
  return true;
}

// The node of the decision at `record`, which was taken in `state`. A state met for the first time may have a sequence
// to follow; its other branches can be run from now on.
uint32_t DporSearch::take(uint32_t head, uint32_t state, uint32_t record) {
  const Step& step = trace_->steps()[record];
  const uint16_t value = value_of(step);
  if (head != kNone && record <= tree_[head].record) return tree_.child(state, value);
  tree_[state].guided = tree_[state].first != kNone;
  if (tree_[state].guided) {
    const uint32_t node = tree_[state].first;
    if (tree_[node].value != value || tree_[node].data != step.is_choice()) return kNone;
    for (uint32_t c = tree_[node].next; c != kNone; c = tree_[c].next) {
      tree_[c].record = record;
      wait_for_turn(c);
    }
    return node;
  }
  Label label;
  label.thread = step.thread;
  const uint32_t node = tree_.add(state, value, label, step.is_choice());
  if (step.is_choice()) plan_data(state, record);
  return node;
}

// All alternatives of a data choice are explored; they do not race with anything.
void DporSearch::plan_data(uint32_t state, uint32_t record) {
  const Step& step = trace_->steps()[record];
  for (uint16_t v = 0; v < step.arity; ++v) {
    if (v == step.value) continue;
    const uint32_t other = tree_.add(state, v, {}, true);
    tree_[other].record = record;
    wait_for_turn(other);
  }
}

}  // namespace lockstep::dpor
