#include "search/frontier.hpp"

#include <iterator>
#include <utility>

namespace lockstep {

std::optional<Leaf> Leaf::of(const ExecutionTree::Node& parent, uint32_t step, uint16_t value, uint32_t cost) {
  constexpr uint32_t kSteps = 1 << 20, kValues = 1 << 10, kCosts = 1 << 2;
  const uint32_t after = step - (parent.step == kNoStep ? 0 : parent.step);
  const bool known =
      parent.cost != ExecutionTree::kCostUnknown && cost >= parent.cost && cost < ExecutionTree::kCostUnknown;
  if (!known || after >= kSteps || value >= kValues || cost - parent.cost >= kCosts) return std::nullopt;
  return Leaf{after, value, cost - parent.cost};
}

Frontier::Bin& Frontier::bin_of(uint64_t rank) {
  auto [place, fresh] = bins_.try_emplace(rank);
  if (fresh) std::swap(place->second, spare_);
  return place->second;
}

void Frontier::push(uint64_t rank, NodeIndex node) {
  Bin& bin = bin_of(rank);
  bin.groups.push_back({node, 0});
  ++bin.size;
  ++groups_;
  peak_ = std::max(peak_, ++size_);
}

void Frontier::push(uint64_t rank, NodeIndex parent, Leaf leaf) {
  Bin& bin = bin_of(rank);
  if (bin.groups.empty() || bin.groups.back().leaves == 0 || bin.groups.back().node != parent) {
    bin.groups.push_back({parent, 0});
    ++groups_;
  }
  ++bin.groups.back().leaves;
  bin.leaves.push_back(leaf);
  ++bin.size;
  ++leaves_;
  peak_ = std::max(peak_, ++size_);
}

OpenExecution Frontier::pop_best() {
  const auto best = bins_.begin();
  Bin& bin = best->second;
  Group& group = bin.groups.back();
  OpenExecution open{group.node, {}};
  if (group.leaves > 0) {
    open.leaf = bin.leaves.back();
    bin.leaves.pop_back();
    --group.leaves;
    --leaves_;
  }
  --size_;
  --bin.size;
  if (group.leaves == 0) {
    bin.groups.pop_back();
    --groups_;
  }
  if (bin.groups.empty()) {
    if (bin.leaves.capacity() + bin.groups.capacity() > spare_.leaves.capacity() + spare_.groups.capacity())
      std::swap(bin, spare_);
    bins_.erase(best);
  }
  return open;
}

std::vector<OpenExecution> Frontier::give_up(uint64_t& rank) {
  const auto worst = std::prev(bins_.end());
  rank = worst->first;
  std::vector<OpenExecution> all;
  size_t leaf = 0;
  for (const Group& group : worst->second.groups) {
    if (group.leaves == 0) all.push_back({group.node, {}});
    for (uint32_t i = 0; i < group.leaves; ++i) all.push_back({group.node, worst->second.leaves[leaf++]});
  }
  const size_t count = bins_.size() > 1 ? all.size() : all.size() / 2;
  size_ -= all.size();
  leaves_ -= worst->second.leaves.size();
  groups_ -= worst->second.groups.size();
  bins_.erase(worst);
  const uint64_t peak = peak_;
  for (size_t i = count; i < all.size(); ++i) {
    if (all[i].leaf)
      push(rank, all[i].node, *all[i].leaf);
    else
      push(rank, all[i].node);
  }
  peak_ = peak;
  all.resize(count);
  return all;
}

void Frontier::save(StateWriter& out) const {
  out.put(peak_);
  out.put<uint64_t>(bins_.size());
  for (const auto& [rank, bin] : bins_) {
    out.put(rank);
    out.put_all(bin.groups);
    out.put_all(bin.leaves);
  }
}

void Frontier::load(StateReader& in, const ExecutionTree& tree) {
  *this = {};
  const auto peak = in.get<uint64_t>();
  for (auto bins = in.get<uint64_t>(); bins > 0 && in.good(); --bins) {
    const auto rank = in.get<uint64_t>();
    const std::vector<Group> groups = in.get_all<Group>();
    const std::vector<Leaf> leaves = in.get_all<Leaf>();
    size_t leaf = 0;
    for (const Group& group : groups) {
      if (!tree.holds(group.node) || group.leaves > leaves.size() - leaf) return in.reject();
      if (group.leaves == 0) push(rank, group.node);
      for (uint32_t i = 0; i < group.leaves; ++i) push(rank, group.node, leaves[leaf++]);
    }
  }
  peak_ = std::max(peak_, peak);
}

}  // namespace lockstep
