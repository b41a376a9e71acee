// Inserts sequences into the tree, following weak initials.
#include "search/dpor/wakeup.hpp"

#include <algorithm>

namespace lockstep::dpor {

using Status = ChoiceTree::Status;
constexpr ThreadId kTakenOut{kMaxThreads};  // no thread has this number; kNoThread marks data choices

bool Wakeup::insert(Path& path, Planner& planner, uint32_t first, std::span<const SequenceItem> sequence, bool whole) {
  path_ = &path;
  planner_ = &planner;
  record_ = first;
  root_ = path.state(first);
  rest_.assign(sequence.begin(), sequence.end());
  doubtful_ = false;
  summarize();
  return covered_by_sleep(path.sleep_set(first), root_) || descend(root_, whole);
}

void Wakeup::summarize() {
  used_ = written_ = threads_ = known_ = initials_ = 0;
  ends_ = false;
  exact_ = path_->order().objects() <= 64;
  left_ = rest_.size();
  for (uint32_t k = 0; k < rest_.size(); ++k) {
    const Label& label = rest_[k].label;
    const unsigned t = index_of(label.thread);
    if (t < 64 && !(threads_ >> t & 1)) {
      threads_ |= bit(t);
      first_[t] = k;
    }
    ends_ |= label.ends;
    for (unsigned i = 0; i < label.uses; ++i) {
      used_ |= bit(label.use[i] >> 1);
      if (label.use[i] & 1) written_ |= bit(label.use[i] >> 1);
    }
  }
}

void Wakeup::check_initial(unsigned t) {
  known_ |= bit(t);
  initials_ &= ~bit(t);
  const Label own = rest_[first_[t]].label;
  for (uint32_t k = 0; k < first_[t]; ++k)
    if (rest_[k].label.thread != kTakenOut && dependent(rest_[k].label, own)) return;
  initials_ |= bit(t);
}

// Takes an item out of the sequence. Items after it may become initials.
void Wakeup::remove(size_t at) {
  const ThreadId thread = rest_[at].label.thread;
  rest_[at].label = {};
  rest_[at].label.thread = kTakenOut;
  --left_;
  known_ = 0;
  exact_ = false;
  const unsigned t = index_of(thread);
  if (t >= 64) return;
  size_t next = at + 1;
  while (next < rest_.size() && rest_[next].label.thread != thread) ++next;
  if (next == rest_.size())
    threads_ &= ~bit(t);
  else
    first_[t] = static_cast<uint32_t>(next);
}

bool Wakeup::is_independent_exactly(const Label& label) const {
  return std::ranges::none_of(
      rest_, [&](const auto& item) { return item.label.thread != kTakenOut && dependent(item.label, label); });
}

bool Wakeup::can_begin_far(const Label& label, size_t& at) const {
  for (at = 0; at < rest_.size(); ++at)
    if (rest_[at].label.thread == label.thread) break;
  const Label& own = at < rest_.size() ? rest_[at].label : label;
  for (size_t k = 0; k < at; ++k)
    if (rest_[k].label.thread != kTakenOut && dependent(rest_[k].label, own)) return false;
  return true;
}

bool Wakeup::covered_by_sleep(std::span<const Label> sleep_set, uint32_t state) {
  size_t at;
  for (const Label& sleeper : sleep_set)
    if (can_begin(sleeper, at)) return true;
  // An elder sibling covers the sequence even before it has finished: everything that can follow it will be explored.
  const ChoiceTree& tree = planner_->tree();
  bool elder = true;
  for (uint32_t c = tree[state].first; c != kNone; c = tree[c].next) {
    elder = elder && c != path_->node(record_);
    if ((elder || tree[c].status == Status::Finished) && tree[c].missing == 0 && can_begin(tree[c].label, at))
      return true;
  }
  return false;
}

// True if everything that can follow this node is explored anyway: nothing was or will be planned below it.
bool Wakeup::is_leaf(uint32_t node) const {
  const ChoiceTree::Node& n = planner_->tree()[node];
  if (n.status == Status::Finished) return n.missing == 0;
  return (n.first == kNone && !n.extensible) || (n.status == Status::Executed && !n.guided);
}

// Follows the branches that can begin the rest of the sequence. Where there is none, the rest becomes a new branch.
bool Wakeup::descend(uint32_t state, bool whole) {
  const ChoiceTree& tree = planner_->tree();
  for (;;) {
    size_t at = 0;
    uint32_t c = tree[state].first;
    for (; c != kNone; c = tree[c].next) {
      if (can_begin(tree[c].label, at) && (at < rest_.size() || tree[c].missing == 0)) break;
      doubtful_ |= tree[c].uncertain && tree[c].status < Status::Executed;
    }
    if (c == kNone) {
      if (doubtful_ && !whole) return false;
      append(state);
      return true;
    }
    const bool in_sequence = at < rest_.size();
    const uint32_t record = in_sequence ? rest_[at].record : kNone;
    if (in_sequence) {
      doubtful_ |= rest_[at].uncertain;  // from here on it is uncertain which sleeping threads wake
      remove(at);
    }
    if (is_leaf(c) || left_ == 0) return true;
    if (tree[c].first != kNone && tree[tree[c].first].data) {
      c = descend_choices(c, record);
      if (c == kNone) return true;
    }
    state = c;
  }
}

// For data choices below a step: continues below the choices that the sequence saw. kNone: covered, or appended.
uint32_t Wakeup::descend_choices(uint32_t node, uint32_t record) {
  ChoiceTree& tree = planner_->tree();
  if (record == kNone) {  // the step was not seen, so all alternatives are explored from here
    add_missing_choices(node);
    return kNone;
  }
  for (uint32_t r = path_->choice_after(record); r != kNone; r = path_->choice_after(r)) {
    const uint32_t c = tree.child(node, path_->trace().steps()[r].taken());
    if (c == kNone) {
      append_choices(node, r);
      return kNone;
    }
    if (is_leaf(c)) return kNone;
    node = c;
  }
  return node;
}

// Makes a new node available if its state has been executed.
void Wakeup::make_available(uint32_t node) {
  ChoiceTree& tree = planner_->tree();
  const uint32_t state = tree[node].parent;
  if (tree[state].status != Status::Executed) return;
  tree[node].record = state == root_ ? record_ : tree[tree[state].first].record;
  planner_->make_available(node);
}

// Appends the data choices of a step as they were seen, from record `r` on, then the rest of the sequence.
void Wakeup::append_choices(uint32_t node, uint32_t r) {
  ChoiceTree& tree = planner_->tree();
  uint32_t top = kNone;
  if (tree[node].status == Status::Finished) tree.reopen(node);
  for (; r != kNone; r = path_->choice_after(r)) {
    const Step& step = path_->trace().steps()[r];
    const bool fresh = tree[node].first == kNone;
    tree[node].missing = fresh ? step.alternatives() - 1 : tree[node].missing - 1;
    node = tree.add(node, step.taken(), {}, true);
    if (top == kNone) top = node;
  }
  append(node);
  make_available(top);
}

void Wakeup::append(uint32_t state) {
  ChoiceTree& tree = planner_->tree();
  std::erase_if(rest_, [](const SequenceItem& item) { return item.label.thread == kTakenOut; });
  uint32_t top = kNone;
  for (size_t k = 0; k < rest_.size(); ++k) {
    const SequenceItem item = rest_[k];
    state = tree.add(state, static_cast<uint16_t>(item.label.thread), item.label, false);
    tree[state].uncertain = item.uncertain;
    if (k + 1 == rest_.size()) tree[state].extensible = item.uncertain || doubtful_;
    if (top == kNone) top = state;
    const uint32_t choice = item.record == kNone || k + 1 == rest_.size() ? kNone : path_->choice_after(item.record);
    if (choice == kNone) continue;
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    append_choices(state, choice);
    break;
  }
  if (top != kNone) make_available(top);
}

void Wakeup::go_first(Path& path, Planner& planner, const Race& race) {
  path_ = &path;
  planner_ = &planner;
  record_ = race.first;
  root_ = path.state(race.first);
  ChoiceTree& tree = planner.tree();
  if (path.sleeps(race.first, race.next->thread)) return;
  const auto value = static_cast<uint16_t>(race.next->thread);
  if (const uint32_t there = tree.child(root_, value); there != kNone) return add_missing_choices(there);
  const Label label = race.might;
  const auto still_sleeps = [&label](const Label& other) { return !dependent(other, label); };
  bool any_sleeps = std::ranges::any_of(path.sleep_set(race.first), still_sleeps);
  tree.for_each_child(root_, [&](uint32_t c) { any_sleeps = any_sleeps || still_sleeps(tree[c].label); });
  const uint32_t node = tree.add(root_, value, label, false);
  tree[node].uncertain = is_conditional(race.next->kind, race.next->flags);
  tree[node].extensible = tree[node].uncertain && !any_sleeps;
  tree[node].by_source_sets = any_sleeps;
  make_available(node);
}

void Wakeup::leave_to_source_sets(Planner& planner, uint32_t top) {
  planner_ = &planner;
  root_ = kNone;
  ChoiceTree& tree = planner.tree();
  if (tree[top].status >= Status::Executed) return add_missing_choices(top);
  for (uint32_t node = top; node != kNone; node = tree.next_from_top(top, node)) {
    add_missing_choices(node);
    tree[node].by_source_sets = true;
    tree[node].extensible = false;
  }
}

void Wakeup::add_missing_choices(uint32_t node) {
  ChoiceTree& tree = planner_->tree();
  if (tree[node].missing > 0) tree.reopen(node);
  for (uint16_t value = 0; tree[node].missing > 0; ++value) {
    if (tree.child(node, value) != kNone) continue;
    make_available(tree.add(node, value, {}, true));
    --tree[node].missing;
  }
  for (uint32_t c = tree[node].first; c != kNone; c = tree[c].next)
    if (tree[c].data) add_missing_choices(c);
}

}  // namespace lockstep::dpor
