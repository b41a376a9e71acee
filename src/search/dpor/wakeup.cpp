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
  if (!covered_by_sleep(search.asleep(first), root_)) descend(root_, 0);
}

// Can a step with this label begin the sequence (a weak initial)? `at`: its place in the sequence, kNone if it is not
// in there but independent of all that is.
bool Wakeup::hits(const Label& label, size_t begin, size_t& at) const {
  for (at = begin; at < rest_.size(); ++at)
    if (rest_[at].label.thread == label.thread) break;
  const Label& own = at < rest_.size() ? rest_[at].label : label;
  for (size_t k = begin; k < at; ++k)
    if (dependent(rest_[k].label, own)) return false;
  return true;
}

bool Wakeup::covered_by_sleep(std::span<const Label> asleep, uint32_t state) const {
  size_t at;
  for (const Label& sleeper : asleep)
    if (hits(sleeper, 0, at)) return true;
  const ChoiceTree& tree = search_->tree();
  for (uint32_t c = tree[state].first; c != kNone; c = tree[c].next)
    if (tree[c].status == Status::Finished && hits(tree[c].label, 0, at)) return true;
  return false;
}

// Follows the branches that can begin the rest of the sequence; where there is none, what is left becomes a new one.
void Wakeup::descend(uint32_t state, size_t begin) {
  ChoiceTree& tree = search_->tree();
  for (;;) {
    uint32_t c = tree[state].first;
    size_t at = 0;
    for (; c != kNone; c = tree[c].next)
      if (hits(tree[c].label, begin, at)) break;
    if (c == kNone) return append(state, begin);
    if (tree[c].status == Status::Finished) return;
    const bool in_sequence = at < rest_.size();
    const uint32_t record = in_sequence ? rest_[at].record : kNone;
    if (in_sequence) rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(at));
    const bool executed = tree[c].status == Status::Executed;
    // A leaf, or what was one when it was executed: all that can follow it is explored anyway.
    if (tree[c].first == kNone || (executed && !tree[c].guided) || rest_.size() == begin) return;
    // Data choices below: the one that was seen, or all of them if the step is not part of the sequence.
    uint32_t next = record == kNone ? kNone : record + 1;
    while (tree[tree[c].first].data && in_sequence && next != kNone) {
      c = tree.child(c, search_->trace().steps()[next++].value);
      if (c == kNone || tree[c].status == Status::Finished) return;
      if (tree[c].first == kNone || (tree[c].status == Status::Executed && !tree[c].guided)) return;
    }
    if (tree[tree[c].first].data) {
      const std::vector<Item> copy(rest_.begin() + static_cast<std::ptrdiff_t>(begin), rest_.end());
      for (uint32_t d = tree[c].first; d != kNone; d = tree[d].next) {
        if (tree[d].status == Status::Finished || tree[d].first == kNone) continue;
        if (tree[d].status == Status::Executed && !tree[d].guided) continue;
        rest_.insert(rest_.end(), copy.begin(), copy.end());
        descend(d, rest_.size() - copy.size());
        rest_.resize(begin + copy.size());
      }
      return;
    }
    state = c;
  }
}

void Wakeup::append(uint32_t state, size_t begin) {
  ChoiceTree& tree = search_->tree();
  const bool runnable = state == root_ || tree[state].status == Status::Executed;
  bool top = true;
  for (size_t k = begin; k < rest_.size(); ++k) {
    const Item& item = rest_[k];
    const uint32_t node = tree.add(state, static_cast<uint16_t>(item.label.thread), item.label, false);
    if (top && runnable) {
      const uint32_t sibling = tree[state].first;
      tree[node].record = state == root_ ? record_ : tree[sibling].record;
      search_->wait_for_turn(node);
    }
    top = false;
    state = node;
    // The data choices of the step: as they were seen, the other alternatives too, since all have to be explored.
    for (uint32_t r = item.record; r != kNone && k + 1 < rest_.size();) {
      const auto steps = search_->trace().steps();
      if (++r >= steps.size() || !steps[r].is_choice()) break;
      const uint32_t parent = state;
      state = tree.add(parent, steps[r].value, {}, true);
      for (uint16_t v = 0; v < steps[r].arity; ++v)
        if (v != steps[r].value) tree.add(parent, v, {}, true);
    }
  }
}

}  // namespace lockstep::dpor
