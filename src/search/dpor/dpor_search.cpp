#include "search/dpor/dpor_search.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "analysis/trace_cost.hpp"
#include "model/schedule.hpp"
#include "search/interrupts.hpp"

namespace lockstep::dpor {
namespace {

constexpr uint32_t kNone = ChoiceTree::kNone;
bool ends_the_process(Outcome outcome) {
  switch (outcome) {
    case Outcome::Deadlock:
    case Outcome::StepLimit:
    case Outcome::Livelock:
    case Outcome::SleepBlocked: return false;
    default: return true;
  }
}

// What wakeup trees do about these rests on everything before it being finished: choices, whose outcome is part of a
// sequence; executions that end with others under way, which cover less than was thought; waiting for what is not seen.
// Told by what may have them, so that mostly the first execution tells.
bool needs_one_lane(TraceView trace) {
  const auto runs = [](const Step& pending) { return !(pending.flags & Step::kBlocked); };
  const auto special = [](const Step& step) {
    return step.is_choice() || step.kind == OpKind::CondSignal || step.kind == OpKind::FutexWake ||
           step.kind == OpKind::Io || step.kind == OpKind::Timer || is_conditional(step.kind, step.flags);
  };
  return (ends_the_process(trace.outcome()) && std::ranges::any_of(trace.pending(), runs)) ||
         std::ranges::any_of(trace.steps(), special);
}

constexpr uint32_t kForgotten = kNone - 1;  // under way, for a search that was given up
using Status = ChoiceTree::Status;

uint16_t value_of(const Step& step) { return step.is_choice() ? step.value : static_cast<uint16_t>(step.thread); }

// Waits for something that no decision of its own ends.
bool is_glued(const Step& pending) {
  const bool glued =
      pending.kind == OpKind::Join || pending.kind == OpKind::BarrierLeave || pending.kind == OpKind::FutexBlocked;
  return glued && !(pending.flags & Step::kTimed);
}

}  // namespace

DporSearch::DporSearch(DporParts parts)
    : parts_(std::move(parts)), lanes_(std::max(parts_.lanes, 1u)),
      in_lanes_(parts_.lanes > 1 && !parts_.whole_sequences), any_order_(parts_.order || in_lanes_), parked_(lanes_.count()) {
  for (unsigned lane = 0; lane < lanes_.count(); ++lane) idle_.push_back(lane);
  plan_.max_steps = parts_.max_steps;
  plan_.stacks = parts_.order && parts_.order->stacks;
}

// --- Plans

uint64_t DporSearch::rank_of(uint32_t node) const {
  const uint32_t record = tree_[node].record;
  const uint16_t value = tree_[node].value;
  uint32_t cost = 0;
  if (record < path_.size())
    cost = preemptions(record);
  else if (record > 0)
    cost = preemptions_through(record - 1);
  if (!tree_[node].data) cost += ScheduleCursor(*trace_, record, 0).cost(ThreadId{value});
  return parts_.order->rank({record, value, cost});
}

void DporSearch::wait_for_turn(uint32_t node) {
  if (parts_.order) {
    ranked_.push(rank_of(node), node);
    peak_waiting_ = std::max(peak_waiting_, ranked_.size());
    return;
  }
  if (in_lanes_) {
    lanes_.push(lane_, tree_[node].record, node);
    peak_waiting_ = std::max(peak_waiting_, lanes_.size());
    return;
  }
  turns_.push(tree_[node].record, node);
  peak_waiting_ = std::max(peak_waiting_, turns_.size());
  tree_[node].early = !open_ended(node);
  if (tree_[node].early) plans_.push(tree_[node].record, node);
}

// More may still be planned below it.
bool DporSearch::open_ended(uint32_t head) const {
  while (tree_[head].first != kNone) head = tree_[head].first;
  return tree_[head].open_end;
}

// A waiting node stands for one of its siblings; the eldest goes first.
uint32_t DporSearch::turn() {
  if (turns_.size() == 0) return kNone;
  uint32_t node = tree_[tree_[turns_.top()].parent].first;
  while (tree_[node].status > Status::UnderWay) node = tree_[node].next;
  return node;
}

// They would not sleep below it, so it has to wait for them.
bool DporSearch::has_sibling_under_way(uint32_t node) const {
  bool found = false;
  tree_.for_each_child(tree_[node].parent,
                       [&](uint32_t c) { found |= tree_[c].status == Status::UnderWay && !tree_[c].data; });
  return found;
}

uint32_t DporSearch::best() {
  return ranked_.size() == 0 || has_sibling_under_way(ranked_.top()) ? kNone : ranked_.pop();
}

// A sequence goes after all that is before it, so that nothing is planned for it later that has to be known when it is
// run; it only need not wait until all of that is finished. Unless it is one to which more may be added.
bool DporSearch::may_go(uint32_t node) const {
  if (any_order_) return !has_sibling_under_way(node);
  for (uint32_t c = tree_[tree_[node].parent].first; c != node; c = tree_[c].next)
    if (tree_[c].status < Status::Executed) return false;
  return !open_ended(node) || tree_.left_is_finished(node);
}

uint32_t DporSearch::next_in_lanes() {
  const auto ready = [this](uint32_t node) { return may_go(node); };
  bool all_looked_through = false;
  for (size_t i = 0; i < idle_.size() && lanes_.size() > 0; ++i) {
    const unsigned lane = idle_.front();
    idle_.pop_front();
    uint32_t node = lanes_.take_own(lane, ready);
    if (node == kNone && !all_looked_through) {
      node = lanes_.take_from_others(lane, ready);
      all_looked_through = node == kNone;
    }
    if (node != kNone) {
      enter(lane);
      return node;
    }
    idle_.push_back(lane);
  }
  return kNone;
}

void DporSearch::enter(unsigned lane) {
  if (lane == lane_) return;
  const auto exchange = [this](Parked& with) {
    std::swap(order_, with.order);
    std::swap(fingerprint_, with.fingerprint);
    std::swap(path_, with.path);
    std::swap(sleepers_, with.sleepers);
  };
  for (uint32_t number = static_cast<uint32_t>(numbers_.size()); number < order_.objects(); ++number)
    numbers_.push_back(order_.object(number).id);
  parked_bytes_ += parked_[lane_].bytes = path_bytes();
  parked_bytes_ -= parked_[lane].bytes;
  exchange(parked_[lane_]);
  exchange(parked_[lane]);
  lane_ = lane;
  while (order_.objects() < numbers_.size()) (void)order_.number_of(numbers_[order_.objects()]);
}

uint32_t DporSearch::next_head() {
  if (parts_.order) return best();
  if (in_lanes_) return next_in_lanes();
  const uint32_t due = turn();
  if (due != kNone && tree_[due].status == Status::Planned && !tree_[due].early) return due;
  if (plans_.size() == 0) return kNone;
  uint32_t node = tree_[tree_[plans_.top()].parent].first;
  while (tree_[node].status != Status::Planned || !tree_[node].early) node = tree_[node].next;
  plans_.pop();
  return node;
}

// Within a bound on the cost of traces, those count that some execution shows with so few preemptions. In a livelock
// threads that spin are tried once more in the end, so nobody knows whether they could be left for nothing.
bool DporSearch::counts(TraceView trace) {
  constexpr uint32_t kMostThreads = 10;  // what a trace of more costs takes too long to find out
  if (!parts_.preemptions || count_preemptions(trace) <= *parts_.preemptions || trace.header().threads > kMostThreads ||
      trace.outcome() == Outcome::Livelock)
    return true;
  HappensBefore order;
  for (const Step& step : trace.steps()) order.push(step);
  return !TraceCost().exceeds(order, trace.pending(), *parts_.preemptions);
}

std::optional<Plan> DporSearch::next() {
  Plan& plan = plan_;
  if (!started_) {
    started_ = true;
    in_flight_.push_back({kNone, lane_});
    if (in_lanes_) std::erase(idle_, lane_);
    return plan;
  }
  const uint32_t head = next_head();
  if (head == kNone) return std::nullopt;
  plan.deltas.clear();
  plan.sleep.clear();
  plan.sleep_at = kNoStep;
  if (any_order_) tree_.hand_out(head);
  tree_[head].status = Status::UnderWay;
  in_flight_.push_back({head, lane_});
  plan_prefix(head, plan);
  for (uint32_t c = tree_[head].first; c != kNone; c = tree_[c].first)
    plan.deltas.push_back({kNextDecision, tree_[c].value});
  if (parts_.whole_sequences) plan.deltas.back().reserved = Delta::kTentative;
  if (parts_.sleep_sets) plan_sleep(head, plan);
  return plan;
}

void DporSearch::plan_prefix(uint32_t head, Plan& plan) const {
  plan.deltas.push_back({tree_[head].record, tree_[head].value});
  for (uint32_t n = nearest_deviation(tree_[head].parent); n != ChoiceTree::kRoot; n = tree_[n].deviation)
    plan.deltas.push_back({tree_[n].record, tree_[n].value});
  std::reverse(plan.deltas.begin(), plan.deltas.end());
}

void DporSearch::plan_sleep(uint32_t head, Plan& plan) const {
  // From the nearest ancestor whose sleepers are at hand, down again.
  chain_.clear();
  uint32_t n = tree_[head].parent;
  while (n != ChoiceTree::kRoot && !on_path(n)) {
    chain_.push_back(n);
    n = tree_[n].parent;
  }
  asleep_.clear();
  if (n != ChoiceTree::kRoot) {
    const std::span<const Label> before = asleep(tree_[n].record);
    asleep_.assign(before.begin(), before.end());
    chain_.push_back(n);
  }
  for (size_t i = chain_.size(); i-- > 0;) {
    if (tree_[chain_[i]].data) continue;
    const size_t end = asleep_.size();
    inherit_sleep(chain_[i], 0, end, asleep_);
    asleep_.erase(asleep_.begin(), asleep_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  const auto sleep = [&plan](const Label& label) {  // what ends the process is awake after any other step
    if (!label.ends && std::find(plan.sleep.begin(), plan.sleep.end(), label.thread) == plan.sleep.end())
      plan.sleep.push_back(label.thread);
  };
  for (const Label& label : asleep_) sleep(label);
  if (!tree_[head].data)
    for (uint32_t c = tree_[tree_[head].parent].first; c != head; c = tree_[c].next)
      if (may_sleep(c)) sleep(tree_[c].label);
  if (parts_.all_siblings_sleep && !tree_[head].data)
    for (uint32_t c = tree_[head].next; c != kNone; c = tree_[c].next) sleep(tree_[c].label);
  if (!plan.sleep.empty()) plan.sleep_at = tree_[head].record;
}

// --- Learning

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
  if (reduces_ && (trace.header().monitors & Monitors::kSealed ||
                   std::any_of(trace.steps().begin(), trace.steps().end(), interrupts_another)))
    return reduce_nothing();
  if (parts_.whole_sequences && parts_.lanes > 1 && !one_lane_ && needs_one_lane(trace)) {
    one_lane_ = true;
    if (in_lanes_) return start_over();
  }
  ++executions_;
  if (any_order_ || in_lanes_) {
    learn_now(head, trace);
    if (gives_up_) reduce_nothing();
    return;
  }
  if (head != kNone && head != turn()) return keep(head, trace);
  learn_now(head, trace);
  const std::optional<Measures> measures = measures_;
  for (uint32_t due = turn(); due != kNone && !gives_up_; due = turn()) {
    const auto found = std::find_if(early_.begin(), early_.end(), [due](const Early& e) { return e.head == due; });
    if (found == early_.end()) break;
    learn_now(due, found->trace);
    spare_.push_back(std::move(*found));
    early_.erase(found);
  }
  if (gives_up_)
    reduce_nothing();
  else if (parts_.lanes > 1 && reduces_ && !one_lane_ && executions_ >= parts_.before_lanes)
    enter_lanes();
  measures_ = measures;
}

// What came back before its turn did so in the order of siblings, and what is under way will.
void DporSearch::enter_lanes() {
  in_lanes_ = true;
  if (!parts_.forget_guided) tree_.keep_guided();
  tree_.for_each_live([this](uint32_t node) {
    if (tree_[node].status == Status::Planned && tree_[tree_[node].parent].status == Status::Executed) wait_for_turn(node);
  });
  plans_ = turns_ = {};
  for (Early& early : early_) learn_now(early.head, early.trace);
  early_.clear();
}

void DporSearch::reduce_nothing() {
  reduces_ = parts_.sleep_sets = false;
  start_over();
  repeats_ = true;
}

void DporSearch::start_over() {
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
  gives_up_ = false;
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
    followed = explore(head);
    // Its last step would have come before what it has to wait for.
    const bool impossible = outcome == Outcome::SleepBlocked && trace.header().diverged_at != 0;
    if (!followed && !impossible) ++diverged_;
  }
  if (!followed) {
    forget(0);
    tree_.finish(head == kNone ? ChoiceTree::kRoot : head);
  }
  trace_.reset();
  assert(!tree_.finished() || frontier_nodes() == 0);
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
  const uint32_t ending = ending_step();
  failed_ |= ending != kNone;
  const auto fresh = static_cast<uint32_t>(path_.size());
  uint32_t state = top == kNone ? ChoiceTree::kRoot : tree_[top].parent;
  for (auto i = static_cast<uint32_t>(path_.size()); i < steps.size(); ++i) {
    if (steps[i].is_note()) {
      append(kNone);
      if (reduces_ && !parts_.whole_sequences) give_up_instead(i, i);
      continue;
    }
    const uint32_t node = take(head, state, i);
    if (node == kNone) return false;
    append(node);
    ChoiceTree::Node& n = tree_[node];
    const bool planned = n.status != Status::Executed && n.label.uses > 0;
    n.status = Status::Executed;
    n.record = i;
    n.by_default = n.value == ScheduleCursor(*trace_, i, 0).default_value();
    n.deviation = nearest_deviation(n.parent);
    state = node;
    repeats_ |= n.data && any_order_;  // see may_sleep
    if (n.data) continue;
    if (!planned || !parts_.observed_labels) n.label = label_of(order_[i]);
    n.label.ends |= i == ending;
    const bool timed = steps[i].flags & (Step::kTimed | Step::kTimedOut);
    gives_up_ |= timed && reduces_ && !parts_.covers_endings_and_timeouts;
    repeats_ |= n.loose || timed;
    if (!reduces_)
      plan_everybody(i);
    else if (!parts_.whole_sequences)
      reverse_step(i, i);
    if (parts_.give_up && parts_.give_up(*this, i)) break;
  }
  if (reduces_ && parts_.whole_sequences) {
    const bool short_ones = certain();
    for (uint32_t i = short_ones ? fresh : 0; i < path_.size(); ++i) {
      const uint32_t end = short_ones ? i : order_.size();
      if (is_step(i))
        reverse_step(i, end);
      else
        give_up_instead(i, end);
    }
  }
  const bool complete = path_.size() == steps.size();
  if (complete) {
    const auto last = static_cast<uint32_t>(steps.size()) - 1;
    const uint32_t cost = steps.empty() ? 0 : is_step(last) ? preemptions_through(last) : preemptions(last);
    measures_ = {fingerprint_.value(), cost};
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

// --- Races

// A failure after which the process is gone although others could have gone on. They have to be run in its stead, or
// their failures would never be seen. That it could also have come before what others did shows nothing new.
uint32_t DporSearch::ending_step() {
  failing_ = kNone;
  if (trace_->outcome() == Outcome::Ok || !ends_the_process(trace_->outcome())) return kNone;
  const std::span<const Step> steps = trace_->steps(), pending = trace_->pending();
  auto last = static_cast<uint32_t>(steps.size());
  while (last-- > 0)
    if (!steps[last].is_note() && !steps[last].is_choice()) break;
  if (last == kNone) return kNone;
  if (steps[last].thread == trace_->header().culprit) failing_ = last;
  const auto cut_off = [](const Step& p) { return !(p.flags & Step::kBlocked); };
  return std::any_of(pending.begin(), pending.end(), cut_off) ? last : kNone;
}

bool DporSearch::certain() const { return failing_ == kNone && !failed_ && !path_.empty() && !path_.back().uncertain; }

// What threads would have done next takes part: that is how a deadlock is found, whose locks are never taken.
void DporSearch::find_pending_races(uint32_t last) {
  const bool redundant = trace_->outcome() == Outcome::SleepBlocked;
  while (last != kNone && !is_step(last)) --last;
  const bool ended = last != kNone && tree_[path_[last].node].label.ends;
  bool cut_off = false;
  for (const Step& step : trace_->pending()) {
    const bool blocked = step.flags & Step::kBlocked;
    if (is_glued(step) || (redundant && !blocked)) continue;
    const Event event = as_event(order_, step);
    if (ended && step.thread == order_[last].thread) continue;
    const bool waits = blocked && !(ended && trace_->timed(trace_->steps()[last]).contains(step.thread));
    if (ended && !waits && enabled(last, step.thread)) {
      const Label might = strongest(event);
      parts_.reversal->reverse(*this, {last, &event, label_of(event), might, order_.size(), order_.size()});
      cut_off = true;
    } else {
      reverse_all(event, order_.size(), order_.size(), blocked);
    }
  }
  gives_up_ = gives_up_ || (cut_off && !parts_.covers_endings_and_timeouts);
}

void DporSearch::reverse_step(uint32_t record, uint32_t end) {
  const Event event = order_[record];  // planning may move it
  reverse_all(event, record, end, false);
}

// A wait that ended inside the step of another thread has no step of its own. If it was a timed one, it could have given
// up before that step.
void DporSearch::give_up_instead(uint32_t record, uint32_t end) {
  const Step& note = trace_->steps()[record];
  if (note.kind != OpKind::FutexBlocked && note.kind != OpKind::Join) return;
  uint32_t ended_by = record;
  while (ended_by != kNone && !is_step(ended_by)) --ended_by;
  if (ended_by == kNone || trace_->steps()[ended_by].thread == note.thread) return;
  if (!trace_->timed(trace_->steps()[ended_by]).contains(note.thread)) return;
  repeats_ = true;
  Event event{};
  event.thread = note.thread;
  event.kind = OpKind::Timeout;
  event.flags = Step::kTimed | Step::kTimedOut | Step::kWrite;
  event.previous = order_[record].previous;
  const uint32_t object = order_.number_of(note.object);
  event.use[event.uses++] = {object, true, order_.object(object).last_write, order_.object(object).last_read};
  const Label label = label_of(event);
  parts_.reversal->reverse(*this, {ended_by, &event, label, label, record, end});
}

void DporSearch::reverse_all(const Event& next, uint32_t at, uint32_t end, bool blocked) {
  const Label did = label_of(next);
  Label might = strongest(next);
  if (parts_.reversal->finds_races()) return parts_.reversal->find_races(*this, next, might, end);
  finder_.find(next, end, blocked, did.ends, races_);
  if (races_.empty()) return;
  if (parts_.observed_labels) might = did;
  for (size_t i = races_.size(); i-- > 0;)
    if (!waited_for(races_[i], next, at)) parts_.reversal->reverse(*this, {races_[i], &next, did, might, at, end});
}

// The next round of a spin loop: before this step it would have been like the last one.
bool DporSearch::waited_for(uint32_t record, const Event& next, uint32_t at) {
  if (!(next.flags & Step::kBlocked) || is_acquire(next.kind)) return false;
  if (const uint32_t change = change_before(next, at); change != kNone)
    return change >= record && order_.ordered(record, change);
  return (next.previous == kNone || next.previous < record) && !enabled(record, next.thread);
}

uint32_t DporSearch::plan(uint32_t record, ThreadId t, const Label& label) {
  const uint32_t node = tree_.add(state(record), static_cast<uint16_t>(t), label, false);
  tree_[node].record = record;
  if (sleeps(record, t))
    tree_.skip(node);
  else
    wait_for_turn(node);
  return node;
}

}  // namespace lockstep::dpor
