#include "search/dpor/wakeup.hpp"

#include <algorithm>

namespace lockstep::dpor {

using Status = ChoiceTree::Status;
constexpr uint32_t kNone = ChoiceTree::kNone;

void Wakeup::insert(DporSearch& search, uint32_t first, std::span<const Item> sequence) {
  search_ = &search;
  record_ = first;
  root_ = search.state(first);
  rest_.assign(sequence.begin(), sequence.end());
  if (!covered_by_sleep(search.asleep(first), root_)) descend(root_);
}

// Can a step with this label begin the sequence (a weak initial)? `at`: its place in the sequence, the end if it
// is not in there but independent of all that is.
bool Wakeup::hits(const Label& label, size_t& at) const {
  for (at = 0; at < rest_.size(); ++at)
    if (rest_[at].label.thread == label.thread) break;
  const Label& own = at < rest_.size() ? rest_[at].label : label;
  for (size_t k = 0; k < at; ++k)
    if (dependent(rest_[k].label, own)) return false;
  return true;
}

bool Wakeup::covered_by_sleep(std::span<const Label> asleep, uint32_t state) const {
  size_t at;
  for (const Label& sleeper : asleep)
    if (hits(sleeper, at)) return true;
  const ChoiceTree& tree = search_->tree();
  for (uint32_t c = tree[state].first; c != kNone; c = tree[c].next)
    if (tree[c].status == Status::Finished && tree[c].missing == 0 && hits(tree[c].label, at)) return true;
  return false;
}

// All that can follow this node is explored anyway: nothing was planned below it when it was executed, or will be.
bool Wakeup::is_leaf(uint32_t node) const {
  const ChoiceTree::Node& n = search_->tree()[node];
  if (n.status == Status::Finished) return n.missing == 0;
  return (n.first == kNone && !n.uncertain) || (n.status == Status::Executed && !n.guided);
}

// Follows the branches that can begin the rest of the sequence; where there is none, what is left becomes a new one.
void Wakeup::descend(uint32_t state) {
  const ChoiceTree& tree = search_->tree();
  for (;;) {
    size_t at = 0;
    uint32_t c = tree[state].first;
    for (; c != kNone; c = tree[c].next)
      if (hits(tree[c].label, at) && (at < rest_.size() || tree[c].missing == 0)) break;
    if (c == kNone) return append(state);
    const bool in_sequence = at < rest_.size();
    const uint32_t record = in_sequence ? rest_[at].record : kNone;
    if (in_sequence) rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(at));
    if (is_leaf(c) || rest_.empty()) return;
    if (tree[c].first != kNone && tree[tree[c].first].data) {
      c = descend_choices(c, record);
      if (c == kNone) return;
    }
    state = c;
  }
}

// Data choices below a step: the sequence goes on below what it saw. kNone: covered, or appended.
uint32_t Wakeup::descend_choices(uint32_t node, uint32_t record) {
  ChoiceTree& tree = search_->tree();
  if (record == kNone) return kNone;  // not seen, so all alternatives are to be explored from here
  for (uint32_t r = record + 1; is_choice(r); ++r) {
    const uint32_t c = tree.child(node, search_->trace().steps()[r].value);
    if (c == kNone) {
      append_choices(node, r);
      return kNone;
    }
    if (is_leaf(c)) return kNone;
    node = c;
  }
  return node;
}

bool Wakeup::is_choice(uint32_t record) const {
  const auto steps = search_->trace().steps();
  return record < steps.size() && steps[record].is_choice();
}

// A new node where it can be run, if its state has been executed.
void Wakeup::offer(uint32_t node) {
  ChoiceTree& tree = search_->tree();
  const uint32_t state = tree[node].parent;
  if (tree[state].status != Status::Executed) return;
  tree[node].record = state == root_ ? record_ : tree[tree[state].first].record;
  search_->wait_for_turn(node);
}

// The data choices of a step as they were seen, from record `r` on, then the rest of the sequence.
void Wakeup::append_choices(uint32_t node, uint32_t r) {
  ChoiceTree& tree = search_->tree();
  uint32_t top = kNone;
  if (tree[node].status == Status::Finished) tree.reopen(node);
  for (; is_choice(r); ++r) {
    const Step& step = search_->trace().steps()[r];
    const bool fresh = tree[node].first == kNone;
    if (!tree[node].data) tree[node].missing = fresh ? step.arity - 1 : tree[node].missing - 1;
    else tree[node].missing = 1;
    node = tree.add(node, step.value, {}, true);
    if (top == kNone) top = node;
  }
  append(node);
  offer(top);
}

void Wakeup::append(uint32_t state) {
  ChoiceTree& tree = search_->tree();
  uint32_t top = kNone;
  for (size_t k = 0; k < rest_.size(); ++k) {
    const Item item = rest_[k];
    state = tree.add(state, static_cast<uint16_t>(item.label.thread), item.label, false);
    tree[state].uncertain = item.uncertain;
    if (top == kNone) top = state;
    if (item.record == kNone || !is_choice(item.record + 1) || k + 1 == rest_.size()) continue;
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    append_choices(state, item.record + 1);
    break;
  }
  if (top != kNone) offer(top);
}

}  // namespace lockstep::dpor
