#include "search/dpor/subtree.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::dpor {
namespace {

using Node = ChoiceTree::Node;
using Status = ChoiceTree::Status;

void put_label(StateWriter& out, const Label& label, const HappensBefore& objects) {
  out.put(label.thread);
  out.put(label.uses);
  out.put(label.ends);
  for (unsigned i = 0; i < label.uses; ++i) {
    out.put(objects.object(label.use[i] >> 1).id);
    out.put(static_cast<uint8_t>(label.use[i] & 1));
  }
}

Label get_label(StateReader& in, HappensBefore& objects) {
  Label label;
  label.thread = in.get<ThreadId>();
  const auto uses = in.get<uint8_t>();
  label.ends = in.get<uint8_t>() != 0;
  if (uses > std::size(label.use)) in.reject();
  for (unsigned i = 0; i < uses && in.good(); ++i) {
    const auto id = in.get<ObjectId>();
    label.add(objects.number_of(id), in.get<uint8_t>() & 1);
  }
  return label;
}

constexpr bool Node::*kFlags[] = {&Node::data,           &Node::by_default, &Node::guided,
                                  &Node::uncertain,      &Node::extensible, &Node::covered,
                                  &Node::by_source_sets, &Node::early,      &Node::chose};

void put_node(StateWriter& out, const Node& node, const HappensBefore& objects) {
  unsigned flags = 0;
  for (size_t i = 0; i < std::size(kFlags); ++i) flags |= static_cast<unsigned>(node.*kFlags[i]) << i;
  out.put(node.record);
  out.put(node.value);
  out.put(node.missing);
  out.put(static_cast<uint16_t>(flags));
  out.put(node.status);
  put_label(out, node.label, objects);
}

Node get_node(StateReader& in, HappensBefore& objects) {
  Node node;
  node.record = in.get<uint32_t>();
  node.value = in.get<uint16_t>();
  node.missing = in.get<uint16_t>();
  const auto flags = in.get<uint16_t>();
  for (size_t i = 0; i < std::size(kFlags); ++i) node.*kFlags[i] = (flags >> i & 1) != 0;
  node.status = in.get<Status>();
  if (node.status > Status::Finished) in.reject();
  node.label = get_label(in, objects);
  return node;
}

uint32_t children_of(const ChoiceTree& tree, uint32_t node) {
  uint32_t count = 0;
  tree.for_each_child(node, [&count](uint32_t) { ++count; });
  return count;
}

}  // namespace

void put_subtree(StateWriter& out, const ChoiceTree& tree, uint32_t top, const HappensBefore& objects) {
  for (uint32_t node = top; node != kNone; node = tree.next_from_top(top, node)) {
    put_node(out, tree[node], objects);
    out.put(children_of(tree, node));
  }
}

void get_subtree(StateReader& in, ChoiceTree& tree, uint32_t top, HappensBefore& objects) {
  tree.restore(top, get_node(in, objects));
  std::vector<std::pair<uint32_t, uint32_t>> open{{top, in.get<uint32_t>()}};  // node, children to come
  while (!open.empty() && in.good()) {
    auto& [parent, left] = open.back();
    if (left == 0) {
      open.pop_back();
      continue;
    }
    --left;
    const Node node = get_node(in, objects);
    const uint32_t child = tree.add(parent, node.value, node.label, node.data);
    tree.restore(child, node);
    open.emplace_back(child, in.get<uint32_t>());
  }
}

void put_way(StateWriter& out, const ChoiceTree& tree, uint32_t top, const HappensBefore& objects) {
  std::vector<uint32_t> way;
  for (uint32_t node = top; node != kRoot; node = tree[node].parent) way.push_back(node);
  std::ranges::reverse(way);
  put_node(out, tree[kRoot], objects);
  out.put(static_cast<uint32_t>(way.size()));
  for (const uint32_t node : way) {
    out.put(children_of(tree, tree[node].parent));
    tree.for_each_child(tree[node].parent, [&](uint32_t child) {
      out.put(static_cast<uint8_t>(child == node));
      put_node(out, tree[child], objects);
    });
  }
}

uint32_t get_way(StateReader& in, ChoiceTree& tree, HappensBefore& objects) {
  uint32_t state = kRoot;
  tree.restore(kRoot, get_node(in, objects));
  for (auto length = in.get<uint32_t>(); length > 0 && in.good(); --length) {
    uint32_t next = kNone;
    for (auto children = in.get<uint32_t>(); children > 0 && in.good(); --children) {
      const bool is_next = in.get<uint8_t>() != 0;
      const Node node = get_node(in, objects);
      const uint32_t child = tree.add(state, node.value, node.label, node.data);
      tree.restore(child, node);
      if (is_next) next = child;
    }
    if (next == kNone) in.reject();
    if (!in.good()) break;
    ++tree[state].unfinished;
    state = next;
  }
  return state;
}

void put_requests(StateWriter& out, const std::vector<Request>& requests, const HappensBefore& objects) {
  out.put<uint64_t>(requests.size());
  for (const Request& request : requests) {
    out.put(request.record);
    out.put(request.sleeps);
    put_label(out, request.label, objects);
    out.put_all(request.initials);
  }
}

std::vector<Request> get_requests(StateReader& in, HappensBefore& objects) {
  std::vector<Request> requests;
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
    Request request{.record = in.get<uint32_t>(), .sleeps = in.get<uint8_t>() != 0, .label = {}, .initials = {}};
    request.label = get_label(in, objects);
    request.initials = in.get_all<ThreadId>();
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace lockstep::dpor
