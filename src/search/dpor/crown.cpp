#include "search/dpor/crown.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "search/dpor/subtree.hpp"

namespace lockstep::dpor {

using Status = ChoiceTree::Status;

std::vector<UnitPart> Crown::divide(uint32_t top, size_t parts) {
  std::vector<uint32_t> executed;
  std::deque<uint32_t> open;  // the shallowest first, because most is below them
  if (tree_[top].status != Status::Finished) open.push_back(top);
  size_t planned = 0;
  while (!open.empty()) {
    const uint32_t node = open.front();
    open.pop_front();
    if (tree_[node].status == Status::Planned) {
      waiting_.push_back(node);
      ++planned;
    } else if (tree_[node].unfinished == 0 || executed.size() + planned + open.size() + 1 >= parts) {
      executed.push_back(node);
    } else {
      tree_.for_each_child(node, [&](uint32_t child) {
        if (tree_[child].status != Status::Finished) open.push_back(child);
      });
    }
  }
  std::vector<UnitPart> units;
  for (const uint32_t node : executed) units.push_back(unit_of(node));
  std::erase_if(waiting_, [&](uint32_t node) {
    if (tree_.has_sibling_under_way(node)) return false;
    units.push_back(unit_of(node));
    return true;
  });
  return units;
}

UnitPart Crown::unit_of(uint32_t node) {
  const bool planned = tree_[node].status == Status::Planned;
  if (planned) tree_.hand_out(node);
  if (planned) tree_[node].status = Status::Planned;
  StateWriter out;
  out.put(node);
  out.put(tree_[node].birth);
  put_way(out, tree_, node, objects_);
  put_subtree(out, tree_, node, objects_);
  if (planned) tree_[node].status = Status::UnderWay;
  tree_.cut_off(node);
  return {.rank = 0, .size = 1, .bytes = std::move(out.bytes())};
}

// Requests come first: once the unit is finished, so may be the states that they are for.
void Crown::take_back(uint32_t top, StateReader& in, bool forgets) {
  for (const Request& request : get_requests(in, objects_))
    if (!forgets) plan(top, request);
  const bool finished = in.get<uint8_t>() != 0;
  get_subtree(in, tree_, top, objects_);
  if (finished && in.good()) tree_.finish(top);
}

void Crown::plan(uint32_t top, const Request& request) {
  uint32_t node = top;
  while (node != kRoot && tree_[node].record != request.record) node = tree_[node].parent;
  if (node == kRoot) return;
  const uint32_t state = tree_[node].parent;
  for (const ThreadId t : request.initials)
    if (tree_.child(state, static_cast<uint16_t>(t)) != kNone) return;
  const uint32_t added = tree_.add(state, static_cast<uint16_t>(request.label.thread), request.label, false);
  tree_[added].record = request.record;
  if (request.sleeps)
    tree_.skip(added);
  else
    waiting_.push_back(added);
}

double Crown::explored() const {
  double done = 0;
  std::vector<std::pair<uint32_t, double>> open{{kRoot, 1.0}};
  while (!open.empty()) {
    const auto [node, weight] = open.back();
    open.pop_back();
    unsigned children = 0;
    tree_.for_each_child(node, [&](uint32_t) { ++children; });
    tree_.for_each_child(node, [&, weight = weight](uint32_t child) {
      if (tree_[child].status == Status::Finished)
        done += weight / children;
      else
        open.emplace_back(child, weight / children);
    });
  }
  return done;
}

void Crown::load(StateReader& in) {
  waiting_ = in.get_all<uint32_t>();
  for (const uint32_t node : waiting_)
    if (!tree_.holds(node) || !tree_.holds(tree_[node].parent) || tree_[node].status != Status::Planned) in.reject();
  if (!in.good()) waiting_.clear();
}

}  // namespace lockstep::dpor
