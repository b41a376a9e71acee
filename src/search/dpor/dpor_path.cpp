// The execution that is being looked at, record by record: order, sleepers and preemptions, taken back only as far as
// the next execution differs.
#include <algorithm>

#include "model/schedule.hpp"
#include "search/dpor/dpor_search.hpp"

namespace lockstep::dpor {

constexpr uint32_t kNone = ChoiceTree::kNone;

void DporSearch::forget(uint32_t size) {
  if (size >= path_.size()) return;
  path_.resize(size);
  sleepers_.resize(size == 0 ? 0 : path_.back().sleep_end);
  order_.truncate(size);
  fingerprint_.truncate(size);
}

// Not what is covered by sleepers of the state itself: those are inherited. Nor what makes a data choice: its label is
// that of the choice learned last, which is not the present one unless the search is depth-first.
bool DporSearch::may_sleep(uint32_t sibling) const {
  const ChoiceTree::Node& n = tree_[sibling];
  return n.missing == 0 && (!any_order_ || (n.status >= ChoiceTree::Status::Executed && !n.covered && !n.chose));
}

void DporSearch::inherit_sleep(uint32_t node, size_t begin, size_t end, std::vector<Label>& sleepers) const {
  if (any_order_ && tree_[node].chose) return;
  const Label by = tree_[node].label;
  for (size_t i = begin; i < end; ++i)
    if (const Label sleeper = sleepers[i]; !dependent(sleeper, by)) sleepers.push_back(sleeper);
  const size_t inherited = sleepers.size();
  for (uint32_t c = tree_[tree_[node].parent].first; c != node; c = tree_[c].next) {
    const Label& elder = tree_[c].label;
    if (!may_sleep(c) || dependent(elder, by)) continue;
    const auto same = [&elder](const Label& other) { return other.thread == elder.thread; };
    if (std::none_of(sleepers.begin() + static_cast<std::ptrdiff_t>(end),
                     sleepers.begin() + static_cast<std::ptrdiff_t>(inherited), same))
      sleepers.push_back(elder);
  }
}

void DporSearch::append(uint32_t node) {
  const auto record = static_cast<uint32_t>(path_.size());
  const Step& step = trace_->steps()[record];
  PathRecord& here = path_.emplace_back();
  here.node = node;
  if (node != kNone) {
    here.birth = tree_[node].birth;
    here.step = !tree_[node].data;
  }
  if (record > 0) {
    const PathRecord& before = path_[record - 1];
    here.sleep_begin = before.sleep_begin;
    here.sleep_end = before.sleep_end;
    here.preemptions = before.preemptions + before.cost;
    here.running = before.running;
    here.yielded = before.yielded;
    here.uncertain = before.uncertain;
    here.spun = before.spun;
    here.chose = before.chose;
    if (before.step) {
      here.running = order_[record - 1].thread;
      here.yielded = order_[record - 1].flags & Step::kYield;
      if (parts_.sleep_sets) {
        here.sleep_begin = static_cast<uint32_t>(sleepers_.size());
        inherit_sleep(before.node, before.sleep_begin, before.sleep_end, sleepers_);
        here.sleep_end = static_cast<uint32_t>(sleepers_.size());
      }
    }
  }
  if (here.step) {
    const ScheduleCursor at(*trace_, record, 0, here.running, here.yielded);
    here.cost = static_cast<uint8_t>(at.cost(step.thread));
    here.by_default = at.default_value() == at.taken();
  }
  here.uncertain |= is_conditional(step.kind, step.flags) || step.kind == OpKind::ProcessExit || step.is_choice();
  here.chose |= step.is_choice();
  here.spun |= (step.flags & Step::kBlocked) != 0;
  order_.push(step);
  if (!step.is_note()) fingerprint_.add(step, order_);
}

void DporSearch::load_trace(uint32_t head) {
  if (head == kNone) return forget(0);
  chain_.clear();
  uint32_t n = tree_[head].parent;
  for (; n != ChoiceTree::kRoot; n = tree_[n].parent) {
    if (on_path(n)) break;
    chain_.push_back(n);
  }
  // A step is not the same if its data choice is another one; in depth-first order, that other one would be the head.
  while (n != ChoiceTree::kRoot && tree_[chain_.empty() ? head : chain_.back()].data) {
    chain_.push_back(n);
    n = tree_[n].parent;
  }
  if (chain_.empty())
    forget(tree_[head].record);
  else
    forget(n == ChoiceTree::kRoot ? 0 : tree_[n].record + 1);
  while (path_.size() < tree_[head].record) {
    const bool decision = !chain_.empty() && tree_[chain_.back()].record == path_.size();
    append(decision ? chain_.back() : kNone);
    if (!decision) continue;
    ChoiceTree::Node& node = tree_[chain_.back()];
    if (any_order_ && node.chose && !node.data) {
      const bool ends = node.label.ends;
      node.label = label_of(order_[node.record]);
      node.label.ends = ends;
    }
    chain_.pop_back();
  }
}

// The write because of which there is this round of a spin loop: the first after the thread last read what was changed,
// so that none is taken for necessary that is not. kNone: not known, or no round.
uint32_t DporSearch::change_before(const Event& round, uint32_t record) {
  const bool named = round.kind == OpKind::Load || round.kind == OpKind::Store || round.kind == OpKind::Rmw;
  if (!(round.flags & Step::kBlocked) || !named || round.second == kNoObject) return kNone;
  const uint32_t object = order_.number_of(round.second);
  uint32_t read = round.previous, found = kNone;
  while (read != kNone && !order_[read].find(object)) read = order_[read].previous;
  for (uint32_t w = order_.object(object).last_write; w != kNone && (read == kNone || w > read);
       w = order_[w].find(object)->last_write)
    if (w < record) found = w;
  return found;
}

// What comes after rounds of spin loops that are not there without the first step of the race cannot be part of a
// sequence. False: the last step of the sequence comes after one, so the race cannot be reversed.
bool DporSearch::leave_out(const Race& race) {
  left_out_.clear();
  if (!path_[race.end - 1].spun) return true;
  bool certain = true;
  const auto out = [this](uint32_t record) {
    return std::any_of(left_out_.begin(), left_out_.end(), [&](uint32_t r) { return order_.ordered(r, record); });
  };
  for (uint32_t k = race.first + 1; k < race.end; ++k) {
    if (!path_[k].step || order_.ordered(race.first, k)) continue;
    bool round = order_[k].flags & Step::kBlocked && !is_acquire(order_[k].kind);
    if (const uint32_t change = round ? change_before(order_[k], k) : kNone; change != kNone)
      round = change >= race.first && order_.ordered(race.first, change);
    else
      certain &= !round;
    if (!round && !out(k)) continue;
    left_out_.push_back(k);
    if (!dependent(label_of(order_[k]), race.might)) continue;
    if (certain) return false;
    left_out_.clear();
    return true;
  }
  return true;
}

std::span<DporSearch::Item> DporSearch::sequence(const Race& race) {
  sequence_.clear();
  if (!leave_out(race)) return sequence_;
  for (uint32_t k = race.first + 1; k < race.end; ++k) {
    if (!path_[k].step || order_.ordered(race.first, k)) continue;
    const uint32_t node = path_[k].node;
    if (Label ending = tree_[node].label; ending.ends || k == failing_) {  // nothing could follow, so it is left out
      ending.ends = false;
      if (!dependent(ending, race.might)) continue;
      sequence_.clear();
      return sequence_;
    }
    if (!left_out_.empty() && std::binary_search(left_out_.begin(), left_out_.end(), k)) continue;
    sequence_.push_back({tree_[node].label, k});
  }
  sequence_.push_back({race.might, kNone, is_conditional(race.next->kind, race.next->flags)});
  return sequence_;
}

// The next data choice of the step that `record` is or belongs to. Threads that it creates or lets go on choose, too.
uint32_t DporSearch::find_choice_after(uint32_t record) const {
  const std::span<const Step> steps = trace_->steps();
  do ++record;
  while (record < steps.size() && steps[record].is_note());
  return record < steps.size() && steps[record].is_choice() ? record : kNone;
}

Label DporSearch::pending_label(uint32_t record, ThreadId t) const {
  for (uint32_t k = record; k < order_.size(); ++k)
    if (path_[k].node != kNone && order_[k].thread == t && !tree_[path_[k].node].data) return strongest(order_[k]);
  Label unknown;  // conflicts with everything, so never sleeps for long
  unknown.thread = t;
  unknown.ends = true;
  return unknown;
}

}  // namespace lockstep::dpor
