// Adds, closes and walks the nodes of the choice tree.
#include "search/dpor/choice_tree.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace lockstep::dpor {

ChoiceTree::ChoiceTree() : nodes_(1) { nodes_[kRoot].status = Status::Executed; }

uint32_t ChoiceTree::add(uint32_t parent, uint16_t value, const Label& label, bool data) {
  uint32_t node = free_;
  if (node != kNone) {
    free_ = nodes_[node].next;
    --free_count_;
    nodes_[node] = Node{};
  } else {
    node = static_cast<uint32_t>(nodes_.size());
    make_room_for_one(nodes_);
    nodes_.emplace_back();
  }
  Node& n = nodes_[node];
  n.parent = parent;
  n.birth = ++births_;
  n.value = value;
  n.label = label;
  n.data = data;
  Node& p = nodes_[parent];
  n.by_source_sets = p.by_source_sets;
  p.chose |= data;
  if (p.last == kNone)
    p.first = node;
  else
    nodes_[p.last].next = node;
  p.last = node;
  ++p.unfinished;
  return node;
}

void ChoiceTree::restore(uint32_t node, const Node& known) {
  Node& n = nodes_[node];
  const Node place = n;
  n = known;
  n.parent = place.parent;
  n.first = place.first;
  n.last = place.last;
  n.next = place.next;
  n.unfinished = place.unfinished;
  n.birth = place.birth;
  n.deviation = node == kRoot ? kRoot : nearest_deviation(place.parent);
  if (node != kRoot && known.status == Status::Finished && place.status != Status::Finished)
    --nodes_[place.parent].unfinished;
}

uint32_t ChoiceTree::next_from_top(uint32_t top, uint32_t node) const {
  if (nodes_[node].first != kNone) return nodes_[node].first;
  while (node != top && nodes_[node].next == kNone) node = nodes_[node].parent;
  return node == top ? kNone : nodes_[node].next;
}

uint32_t ChoiceTree::child(uint32_t parent, uint16_t value) const {
  uint32_t c = nodes_[parent].first;
  while (c != kNone && nodes_[c].value != value) c = nodes_[c].next;
  return c;
}

void ChoiceTree::close(uint32_t node) {
  if (nodes_[node].missing == 0) release_children(node);
  nodes_[node].status = Status::Finished;
  nodes_[node].unfinished = 0;
  const uint32_t parent = nodes_[node].parent;
  if (parent == kNone) return;
  assert(nodes_[parent].unfinished > 0);
  --nodes_[parent].unfinished;
}

uint32_t ChoiceTree::finish(uint32_t node) {
  for (;;) {
    if (keeps_guided_ && nodes_[node].guided && !left_is_finished(node)) return node;
    close(node);
    const uint32_t parent = nodes_[node].parent;
    if (parent == kNone) return node;
    if (keeps_guided_ && (!nodes_[parent].guided || left_is_finished(parent))) settle(parent);
    if (nodes_[parent].unfinished > 0 || nodes_[parent].status != Status::Executed) return node;
    node = parent;
  }
}

bool ChoiceTree::left_is_finished(uint32_t node) const {
  for (;;) {
    const uint32_t parent = nodes_[node].parent;
    for (uint32_t c = nodes_[parent].first; c != node; c = nodes_[c].next)
      if (nodes_[c].status != Status::Finished) return false;
    if (parent == kRoot || !nodes_[parent].guided) return true;
    node = parent;
  }
}

// The siblings before the rest of this state have finished. Closes the nodes that only waited for them, from left to
// right.
void ChoiceTree::settle(uint32_t state) {
  uint32_t at = state;
  for (;;) {
    uint32_t c = nodes_[at].first;
    while (c != kNone && nodes_[c].status == Status::Finished) c = nodes_[c].next;
    if (c != kNone) {
      if (nodes_[c].status != Status::Executed || !nodes_[c].guided) return;
      at = c;
      continue;
    }
    if (at == state) return;
    const uint32_t parent = nodes_[at].parent;
    close(at);
    at = parent;
  }
}

void ChoiceTree::reopen(uint32_t node) {
  for (; nodes_[node].status == Status::Finished; node = nodes_[node].parent) {
    nodes_[node].status = Status::Executed;
    ++nodes_[nodes_[node].parent].unfinished;
  }
}

void ChoiceTree::hand_out(uint32_t node) {
  if (any_order_) move_behind_handed_out(node);
  nodes_[node].status = Status::UnderWay;
}

void ChoiceTree::move_behind_handed_out(uint32_t node) {
  Node& parent = nodes_[nodes_[node].parent];
  uint32_t before = kNone, last_out = kNone;  // the node before it; the last node that is not planned any more
  for (uint32_t c = parent.first; c != kNone; c = nodes_[c].next) {
    if (nodes_[c].next == node) before = c;
    if (nodes_[c].status != Status::Planned) last_out = c;
  }
  if (before == last_out) return;
  (before == kNone ? parent.first : nodes_[before].next) = nodes_[node].next;
  if (parent.last == node) parent.last = before;
  uint32_t& link = last_out == kNone ? parent.first : nodes_[last_out].next;
  nodes_[node].next = link;
  link = node;
  if (parent.last == last_out) parent.last = node;
}

bool ChoiceTree::has_sibling_under_way(uint32_t node) const {
  for (uint32_t c = nodes_[nodes_[node].parent].first; c != kNone; c = nodes_[c].next)
    if (nodes_[c].status == Status::UnderWay && !nodes_[c].data) return true;
  return false;
}

bool ChoiceTree::may_be_extended(uint32_t node) const {
  while (nodes_[node].first != kNone) node = nodes_[node].first;
  return nodes_[node].extensible;
}

uint32_t ChoiceTree::leftmost() const {
  for (uint32_t state = kRoot;;) {
    uint32_t c = nodes_[state].first;
    while (c != kNone && nodes_[c].status == Status::Finished) c = nodes_[c].next;
    if (c == kNone || nodes_[c].status == Status::UnderWay) return kNone;
    if (nodes_[c].status == Status::Planned) return c;
    state = c;
  }
}

std::vector<uint32_t> ChoiceTree::available() const {
  std::vector<uint32_t> found;
  for (uint32_t node = 1; node < nodes_.size(); ++node) {
    const Node& n = nodes_[node];
    if (n.parent != kNone && n.status == Status::Planned && nodes_[n.parent].status == Status::Executed)
      found.push_back(node);
  }
  return found;
}

void ChoiceTree::add_deltas(uint32_t node, std::vector<Delta>& deltas) const {
  deltas.push_back({nodes_[node].record, nodes_[node].value});
  for (uint32_t n = nearest_deviation(nodes_[node].parent); n != kRoot; n = nodes_[n].deviation)
    deltas.push_back({nodes_[n].record, nodes_[n].value});
  std::reverse(deltas.begin(), deltas.end());
}

void ChoiceTree::cut_off(uint32_t node) {
  release_children(node);
  nodes_[node].unfinished = 0;
}

void ChoiceTree::skip(uint32_t node) {
  nodes_[node].covered = true;
  nodes_[node].status = Status::Finished;
  --nodes_[nodes_[node].parent].unfinished;
}

void ChoiceTree::save(StateWriter& out) const {
  out.put_all(nodes_);
  out.put(free_);
  out.put(free_count_);
}

void ChoiceTree::load(StateReader& in) {
  LargeVector<Node> nodes = in.get_all<Node, LargeVector<Node>>();
  const auto free = in.get<uint32_t>();
  const auto free_count = in.get<uint64_t>();
  const auto exists = [&nodes](uint32_t node) { return node == kNone || node < nodes.size(); };
  bool good = in.good() && !nodes.empty() && exists(free) && free_count < nodes.size();
  for (Node& n : nodes) {
    good = good && exists(n.parent) && exists(n.first) && exists(n.last) && exists(n.next) &&
           n.deviation < nodes.size() && n.label.uses <= 3 && n.status <= Status::Finished;
    births_ = std::max(births_, n.birth);
  }
  if (!good) return in.reject();
  nodes_ = std::move(nodes);
  free_ = free;
  free_count_ = free_count;
}

// Without recursion: a planned sequence may be as long as an execution.
void ChoiceTree::release_children(uint32_t node) {
  uint32_t child = nodes_[node].first;
  nodes_[node].first = nodes_[node].last = kNone;
  while (child != kNone) {
    uint32_t next = nodes_[child].next;
    if (nodes_[child].first != kNone) {
      nodes_[nodes_[child].last].next = next;
      next = nodes_[child].first;
    }
    nodes_[child].next = free_;
    nodes_[child].parent = kNone;
    free_ = child;
    ++free_count_;
    child = next;
  }
}

}  // namespace lockstep::dpor
