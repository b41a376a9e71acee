// Extends the path of an execution and finds its reversible races and their sequences.
#include "search/dpor/path.hpp"

#include "model/schedule.hpp"

namespace lockstep::dpor {

Path::Path(ChoiceTree& tree, unsigned lanes, bool sleep_sets, const Mistakes& mistakes)
    : tree_(tree), sleep_sets_(sleep_sets), all_siblings_sleep_(mistakes.all_siblings_sleep), lanes_(lanes) {
  finder_.overlooks = mistakes.overlooks;
}

void Path::begin(TraceView trace, uint32_t head) {
  trace_ = trace;
  load_prefix(head);
  find_end();
  find_failure();
}

// Keeps the common records. The rest of the prefix is appended from the trace.
void Path::load_prefix(uint32_t head) {
  if (head == kRoot) return truncate(0);
  chain_.clear();
  uint32_t n = tree_[head].parent;
  for (; n != kRoot && !holds(n); n = tree_[n].parent) chain_.push_back(n);
  // A step with another data choice is another step. In depth-first order it is the head.
  while (n != kRoot && tree_[chain_.empty() ? head : chain_.back()].data) {
    chain_.push_back(n);
    n = tree_[n].parent;
  }
  if (chain_.empty())
    truncate(tree_[head].record);
  else
    truncate(n == kRoot ? 0 : tree_[n].record + 1);
  while (size() < tree_[head].record) {
    const bool decision = !chain_.empty() && tree_[chain_.back()].record == size();
    append(decision ? chain_.back() : kNone);
    if (!decision) continue;
    ChoiceTree::Node& node = tree_[chain_.back()];
    if (tree_.any_order() && node.chose && !node.data) {
      const bool ends = node.label.ends;
      node.label = label_of(now_.order[node.record]);
      node.label.ends = ends;
    }
    chain_.pop_back();
  }
}

// Notes after the last step order nothing, unless a thread has a pending step or could have timed out. In many
// executions most new records are such notes.
void Path::find_end() {
  const std::span<const Step> steps = trace_->steps();
  const auto all = static_cast<uint32_t>(steps.size());
  // Before a livelock is reported, spinning threads run one more round when no other thread can run. These steps race
  // with nothing and are not part of a sequence, because they exist only there.
  const uint32_t last_rounds = trace_->header().last_rounds;
  stuck_at_ = last_rounds != 0 ? last_rounds : all;
  end_ = all;
  if (!trace_->pending().empty()) return;
  uint32_t end = all;
  for (; end > 0 && steps[end - 1].is_note(); --end)
    if (is_conditional(steps[end - 1].kind, steps[end - 1].flags)) return;
  if (end == 0 || trace_->timed(steps[end - 1]).empty()) end_ = end;
}

// A failure may end the process although other threads could run. These threads have to be run instead, otherwise their
// failures are missed. Reversing the failure with earlier steps shows nothing new.
void Path::find_failure() {
  failing_ = ending_ = kNone;
  if (trace_->outcome() == Outcome::Ok || !ends_the_process(trace_->outcome())) return;
  const std::span<const Step> steps = trace_->steps(), pending = trace_->pending();
  auto last = static_cast<uint32_t>(steps.size());
  while (last-- > 0)
    if (!steps[last].is_note() && !steps[last].is_choice()) break;
  if (last == kNone) return;
  if (steps[last].thread == trace_->header().culprit) failing_ = last;
  const auto cut_off = [](const Step& p) { return !(p.flags & Step::kBlocked); };
  if (std::any_of(pending.begin(), pending.end(), cut_off)) ending_ = last;
}

void Path::append(uint32_t node) {
  const uint32_t record = size();
  const Step& step = trace_->steps()[record];
  // Starts as a copy of the previous record.
  Record& here = record == 0 ? now_.records.emplace_back() : now_.records.emplace_back(now_.records.back());
  here.preemptions += here.cost;
  if (here.step) {
    here.running = now_.order[record - 1].thread;
    here.yielded = now_.order[record - 1].flags & Step::kYield;
    if (sleep_sets_) {
      const auto begin = static_cast<uint32_t>(now_.sleepers.size());
      add_sleep_set_after(here.node, here.sleep_begin, here.sleep_end, now_.sleepers);
      here.sleep_begin = begin;
      here.sleep_end = static_cast<uint32_t>(now_.sleepers.size());
    }
  }
  here.node = node;
  here.birth = node == kNone ? 0 : tree_[node].birth;
  here.step = node != kNone && !tree_[node].data;
  here.cost = here.by_default = false;
  if (here.step) {
    const ScheduleCursor at(*trace_, record, 0, here.running, here.yielded);
    here.cost = static_cast<uint8_t>(at.cost(step.thread));
    here.by_default = at.default_value() == at.taken();
  }
  here.uncertain |= is_conditional(step.kind, step.flags) || step.kind == OpKind::ProcessExit || step.is_choice();
  here.chose |= step.is_choice();
  here.spun |= (step.flags & Step::kBlocked) != 0;
  now_.order.push(step);
  if (!step.is_note()) now_.fingerprint.add(step, now_.order);
}

// Appends the sleep set after the step of `node`: the members of the sleep set before it, sleepers[begin, end), and of
// its elder siblings that are independent of the step.
void Path::add_sleep_set_after(uint32_t node, size_t begin, size_t end, std::vector<Label>& sleepers) const {
  if (tree_.any_order() && tree_[node].chose) return;
  const Label by = tree_[node].label;
  for (size_t i = begin; i < end; ++i)
    if (const Label sleeper = sleepers[i]; !dependent(sleeper, by)) sleepers.push_back(sleeper);
  const size_t inherited = sleepers.size();
  for (uint32_t c = tree_[tree_[node].parent].first; c != node; c = tree_[c].next) {
    const Label& elder = tree_[c].label;
    if (!tree_.may_sleep(c) || dependent(elder, by)) continue;
    const auto same = [&elder](const Label& other) { return other.thread == elder.thread; };
    if (std::ranges::none_of(std::span(sleepers).subspan(end, inherited - end), same)) sleepers.push_back(elder);
  }
}

void Path::plan_sleep_set(uint32_t head, Plan& plan) const {
  if (!sleep_sets_) return;
  // Goes down from the nearest ancestor on the path.
  chain_.clear();
  uint32_t n = tree_[head].parent;
  for (; n != kRoot && !holds(n); n = tree_[n].parent) chain_.push_back(n);
  asleep_.clear();
  if (n != kRoot) {
    const std::span<const Label> before = sleep_set(tree_[n].record);
    asleep_.assign(before.begin(), before.end());
    chain_.push_back(n);
  }
  for (size_t i = chain_.size(); i-- > 0;) {
    if (tree_[chain_[i]].data) continue;
    const size_t end = asleep_.size();
    add_sleep_set_after(chain_[i], 0, end, asleep_);
    asleep_.erase(asleep_.begin(), asleep_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  const auto sleep = [&plan](const Label& label) {  // a step that ends the process wakes after any other step
    if (!label.ends && std::find(plan.sleep.begin(), plan.sleep.end(), label.thread) == plan.sleep.end())
      plan.sleep.push_back(label.thread);
  };
  for (const Label& label : asleep_) sleep(label);
  if (!tree_[head].data)
    for (uint32_t c = tree_[tree_[head].parent].first; c != head; c = tree_[c].next)
      if (tree_.may_sleep(c)) sleep(tree_[c].label);
  if (all_siblings_sleep_ && !tree_[head].data)
    for (uint32_t c = tree_[head].next; c != kNone; c = tree_[c].next) sleep(tree_[c].label);
  if (!plan.sleep.empty()) plan.sleep_at = tree_[head].record;
}

void Path::Prefix::truncate(uint32_t size) {
  if (size >= records.size()) return;
  records.resize(size);
  sleepers.resize(size == 0 ? 0 : records.back().sleep_end);
  order.truncate(size);
  fingerprint.truncate(size);
}

void Path::clear() {
  truncate(0);
  for (Prefix& lane : lanes_) lane.truncate(0);
}

void Path::select(unsigned lane) {
  if (lane == lane_) return;
  for (auto number = static_cast<uint32_t>(numbered_.size()); number < now_.order.objects(); ++number)
    numbered_.push_back(now_.order.object(number).id);
  other_bytes_ += now_.bytes = now_.memory_bytes();
  other_bytes_ -= lanes_[lane].bytes;
  std::swap(now_, lanes_[lane_]);
  std::swap(now_, lanes_[lane]);
  lane_ = lane;
  while (now_.order.objects() < numbered_.size()) (void)now_.order.number_of(numbered_[now_.order.objects()]);
}

std::span<const uint32_t> Path::reversible(const Event& next, uint32_t at) {
  races_.clear();
  for (size_t i = found_.size(); i-- > 0;) {
    if (is_next_round(found_[i], next, at)) continue;
    races_.push_back(found_[i]);
    if (next.kind != OpKind::Io && next.kind != OpKind::Timer) continue;
    for (uint32_t r = taker_before(next, found_[i]); r != kNone; r = taker_before(next, r)) races_.push_back(r);
  }
  return races_;
}

// The write that caused this round of a spin loop: the first after the thread's last read of the changed object, so
// that no unneeded write counts as needed. kNone: not known, or not a round.
uint32_t Path::change_before(const Event& round, uint32_t record) {
  const bool named = round.kind == OpKind::Load || round.kind == OpKind::Store || round.kind == OpKind::Rmw;
  if (!(round.flags & Step::kBlocked) || !named || round.second.none()) return kNone;
  const uint32_t object = now_.order.number_of(round.second.change());
  uint32_t read = round.previous, found = kNone;
  while (read != kNone && !now_.order[read].find(object)) read = now_.order[read].previous;
  for (uint32_t w = now_.order.object(object).last_write; w != kNone && (read == kNone || w > read);
       w = now_.order[w].find(object)->last_write)
    if (w < record) found = w;
  return found;
}

// True if `next` is a round of a spin loop that, before this record, would have repeated the previous round.
bool Path::is_next_round(uint32_t record, const Event& next, uint32_t at) {
  if (!(next.flags & Step::kBlocked) || is_acquire(next.kind)) return false;
  if (const uint32_t change = change_before(next, at); change != kNone)
    return change >= record && now_.order.ordered(record, change);
  return (next.previous == kNone || next.previous < record) && !enabled(record, next.thread);
}

// For input that was not available at `record`: which earlier step took it is not known, so this returns the step
// before, which may have taken it.
uint32_t Path::taker_before(const Event& next, uint32_t record) const {
  const bool was_pending = next.previous == kNone || next.previous < record;
  if (!was_pending || enabled(record, next.thread)) return kNone;
  const HappensBefore::Use* use = now_.order[record].find(next.use[0].object);
  const uint32_t before = use ? use->last_write : kNone;
  const bool known = before == kNone || now_.order[before].thread == next.thread ||
                     (next.previous != kNone && now_.order.ordered(before, next.previous));
  return known || !is_step(before) ? kNone : before;
}

// Rounds of spin loops that exist only because of the first step of the race cannot be part of a sequence, nor can what
// happens after them. False: the last step of the sequence happens after such a round, so the race cannot be reversed.
bool Path::leave_out_rounds(const Race& race) {
  left_out_.clear();
  if (!now_.records[race.end - 1].spun) return true;
  bool certain = true;
  const auto out = [this](uint32_t record) {
    return std::ranges::any_of(left_out_, [&](uint32_t r) { return now_.order.ordered(r, record); });
  };
  for (uint32_t k = race.first + 1; k < race.end; ++k) {
    if (!is_step(k) || now_.order.ordered(race.first, k)) continue;
    bool round = now_.order[k].flags & Step::kBlocked && !is_acquire(now_.order[k].kind);
    if (const uint32_t change = round ? change_before(now_.order[k], k) : kNone; change != kNone)
      round = change >= race.first && now_.order.ordered(race.first, change);
    else
      certain &= !round;
    if (!round && !out(k)) continue;
    left_out_.push_back(k);
    if (!dependent(label_of(now_.order[k]), race.might)) continue;
    if (certain) return false;
    left_out_.clear();
    return true;
  }
  return true;
}

std::span<SequenceItem> Path::sequence(const Race& race) {
  sequence_.clear();
  if (!leave_out_rounds(race)) return sequence_;
  for (uint32_t k = race.first + 1; k < race.end; ++k) {
    if (!is_step(k) || now_.order.ordered(race.first, k)) continue;
    const Label& label = tree_[node(k)].label;
    if (label.ends || k == failing_) {  // nothing could follow it
      Label ending = label;
      ending.ends = false;
      if (!dependent(ending, race.might)) continue;
      sequence_.clear();
      return sequence_;
    }
    if (!left_out_.empty() && std::binary_search(left_out_.begin(), left_out_.end(), k)) continue;
    sequence_.push_back({label, k});
  }
  sequence_.push_back({race.might, kNone, is_conditional(race.next->kind, race.next->flags)});
  return sequence_;
}

// A choice also belongs to the step if a thread makes it that the step creates or unblocks.
uint32_t Path::find_choice_after(uint32_t record) const {
  const std::span<const Step> steps = trace_->steps();
  do ++record;
  while (record < steps.size() && steps[record].is_note());
  return record < steps.size() && steps[record].is_choice() ? record : kNone;
}

Label Path::pending_label(uint32_t record, ThreadId t) const {
  for (uint32_t k = record; k < size(); ++k)
    if (is_step(k) && now_.order[k].thread == t) return strongest(now_.order[k]);
  Label unknown;  // conflicts with everything, so it wakes at the next step
  unknown.thread = t;
  unknown.ends = true;
  return unknown;
}

}  // namespace lockstep::dpor
