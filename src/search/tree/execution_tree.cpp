// Creates, deletes, saves and counts the nodes of the execution tree.
#include "search/tree/execution_tree.hpp"

#include <algorithm>
#include <cassert>

namespace lockstep {

NodeIndex ExecutionTree::create_root() {
  const NodeIndex root = allocate();
  at(root) = {.parent = kNoNode, .step = kNoStep, .value = 0, .cost = 0, .executed = 0, .successors = 0};
  return root;
}

NodeIndex ExecutionTree::create(NodeIndex parent, uint32_t step, uint16_t value, uint32_t cost) {
  const NodeIndex node = allocate();
  const auto kept = static_cast<uint16_t>(std::min<uint32_t>(cost, kCostUnknown));
  at(node) = {.parent = parent, .step = step, .value = value, .cost = kept, .executed = 0, .successors = 0};
  ++at(parent).successors;
  return node;
}

NodeIndex ExecutionTree::create_reserved(NodeIndex parent, uint32_t step, uint16_t value, uint32_t cost) {
  const NodeIndex node = create(parent, step, value, cost);
  --at(parent).successors;
  return node;
}

void ExecutionTree::drop_reserved(NodeIndex parent) {
  --at(parent).successors;
  release_finished(parent);
}

void ExecutionTree::finish(NodeIndex node) {
  assert(!at(node).executed);
  at(node).executed = 1;
  ++executed_;
  release_finished(node);
}

void ExecutionTree::drop(NodeIndex node) {
  assert(!at(node).executed && at(node).successors == 0);
  at(node).executed = 1;
  --created_;
  release_finished(node);
}

void ExecutionTree::release_finished(NodeIndex node) {
  while (node != kNoNode && at(node).executed && at(node).successors == 0) {
    const NodeIndex parent = at(node).parent;
    release(node);
    if (parent != kNoNode) --at(parent).successors;
    node = parent;
  }
}

void ExecutionTree::deltas_of(NodeIndex node, std::vector<Delta>& out) const {
  size_t depth = 0;
  for (NodeIndex n = node; at(n).parent != kNoNode; n = at(n).parent) ++depth;
  out.resize(depth);
  for (NodeIndex n = node; depth > 0; n = at(n).parent) out[--depth] = {at(n).step, at(n).value};
}

uint64_t ExecutionTree::partial_schedules(const std::vector<std::pair<NodeIndex, uint32_t>>& elsewhere) const {
  std::vector<bool> free(fresh_, false);
  for (NodeIndex n = free_; n != kNoNode; n = at(n).parent) free[static_cast<uint32_t>(n)] = true;
  std::vector<uint32_t> reach(fresh_, 0);  // by node: the last step at which an open successor departs
  for (uint32_t i = 0; i < fresh_; ++i)
    if (const Node& node = at(NodeIndex{i}); !free[i] && node.parent != kNoNode)
      reach[static_cast<uint32_t>(node.parent)] = std::max(reach[static_cast<uint32_t>(node.parent)], node.step);
  for (const auto& [parent, step] : elsewhere)
    reach[static_cast<uint32_t>(parent)] = std::max(reach[static_cast<uint32_t>(parent)], step);
  uint64_t nodes = elsewhere.size();
  for (uint32_t i = 0; i < fresh_; ++i) {
    if (free[i]) continue;
    const uint32_t own = at(NodeIndex{i}).step == kNoStep ? 0 : at(NodeIndex{i}).step;
    nodes += 1 + (reach[i] > own ? reach[i] - own - 1 : 0);
  }
  return nodes;
}

void ExecutionTree::save(StateWriter& out) const {
  out.put(fresh_);
  for (uint32_t i = 0; i < fresh_; i += kChunk)
    out.put_bytes(chunks_[i / kChunk].get(), sizeof(Node) * std::min(kChunk, fresh_ - i));
  out.put(free_);
  for (const uint64_t counter : {created_, executed_, live_, peak_}) out.put(counter);
}

void ExecutionTree::load(StateReader& in) {
  fresh_ = in.get<uint32_t>();
  chunks_.clear();
  for (uint32_t i = 0; i < fresh_ && in.good(); i += kChunk) {
    chunks_.push_back(std::make_unique<Node[]>(kChunk));
    in.get_bytes(chunks_.back().get(), sizeof(Node) * std::min(kChunk, fresh_ - i));
  }
  if (!in.good()) fresh_ = 0;
  for (uint32_t i = 0; i < fresh_; ++i) {
    const NodeIndex parent = at(NodeIndex{i}).parent;
    if (parent != kNoNode && !holds(parent)) in.reject();
  }
  free_ = in.get<NodeIndex>();
  if (free_ != kNoNode && !holds(free_)) in.reject();
  for (uint64_t* counter : {&created_, &executed_, &live_, &peak_}) *counter = in.get<uint64_t>();
}

NodeIndex ExecutionTree::allocate() {
  ++created_;
  peak_ = std::max(peak_, ++live_);
  if (free_ != kNoNode) {
    const NodeIndex node = free_;
    free_ = at(node).parent;
    return node;
  }
  if (fresh_ % kChunk == 0) chunks_.push_back(std::make_unique_for_overwrite<Node[]>(kChunk));
  return NodeIndex{fresh_++};
}

void ExecutionTree::release(NodeIndex node) {
  at(node).parent = free_;
  free_ = node;
  --live_;
}

}  // namespace lockstep
