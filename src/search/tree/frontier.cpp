// Packs groups of open executions into bytes.
#include "search/tree/frontier.hpp"

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

namespace {

uint32_t value_and_cost(Leaf leaf) { return uint32_t{leaf.value} << 2 | leaf.cost; }
Leaf leaf_of(uint32_t step, uint32_t value_and_cost) { return {step, value_and_cost >> 2, value_and_cost & 3}; }

// Maps small differences of either sign to small numbers.
uint32_t either_sign(uint32_t difference) { return difference << 1 ^ (difference >> 31 ? ~0u : 0u); }
uint32_t with_sign(uint32_t number) { return number >> 1 ^ (number & 1 ? ~0u : 0u); }

}  // namespace

Frontier::Bin& Frontier::bin_of(uint64_t rank) {
  auto [place, fresh] = bins_.try_emplace(rank);
  if (fresh) std::swap(place->second, spare_);
  return place->second;
}

void Frontier::count(uint64_t bytes_before, const Bin& bin) {
  bytes_ += bin.below.size();
  bytes_ -= bytes_before;
}

void Frontier::began(Bin& bin, NodeIndex node) {
  if (bin.size > 0) {
    if (bin.leaves > 0) {
      bin.below.push(bin.top.step);
      bin.below.push(value_and_cost(bin.top));
    }
    bin.below.push(bin.leaves);
    bin.below.push(either_sign(static_cast<uint32_t>(node) - static_cast<uint32_t>(bin.node)));
  }
  bin.node = node;
  bin.leaves = 0;
}

void Frontier::push(uint64_t rank, NodeIndex node) {
  Bin& bin = bin_of(rank);
  const uint64_t before = bin.below.size();
  began(bin, node);
  ++bin.size;
  count(before, bin);
  peak_ = std::max(peak_, ++size_);
}

void Frontier::push(uint64_t rank, NodeIndex parent, Leaf leaf) {
  Bin& bin = bin_of(rank);
  const uint64_t before = bin.below.size();
  if (bin.size > 0 && bin.leaves > 0 && bin.node == parent && bin.top.step <= leaf.step) {
    bin.below.push(value_and_cost(bin.top));
    bin.below.push(leaf.step - bin.top.step);
  } else {
    began(bin, parent);
  }
  bin.top = leaf;
  ++bin.leaves;
  ++bin.size;
  count(before, bin);
  peak_ = std::max(peak_, ++size_);
}

OpenExecution Frontier::pop(Bin& bin) {
  OpenExecution open{bin.node, {}};
  if (bin.leaves > 0) open.leaf = bin.top;
  --bin.size;
  if (bin.leaves > 1) {
    --bin.leaves;
    const uint32_t step = bin.top.step - bin.below.pop();
    bin.top = leaf_of(step, bin.below.pop());
  } else if (bin.size > 0) {
    bin.node = NodeIndex{static_cast<uint32_t>(bin.node) - with_sign(bin.below.pop())};
    bin.leaves = bin.below.pop();
    if (bin.leaves > 0) {
      const uint32_t rest = bin.below.pop();
      bin.top = leaf_of(bin.below.pop(), rest);
    }
  }
  return open;
}

OpenExecution Frontier::pop_best() {
  const auto best = bins_.begin();
  Bin& bin = best->second;
  const uint64_t before = bin.below.size();
  const OpenExecution open = pop(bin);
  count(before, bin);
  --size_;
  if (bin.size == 0) {
    if (bin.below.capacity() > spare_.below.capacity()) std::swap(bin, spare_);
    bins_.erase(best);
  }
  return open;
}

std::vector<OpenExecution> Frontier::give_up(uint64_t& rank) {
  const auto worst = std::prev(bins_.end());
  rank = worst->first;
  std::vector<OpenExecution> all;
  bytes_ -= worst->second.below.size();
  while (worst->second.size > 0) all.push_back(pop(worst->second));
  std::reverse(all.begin(), all.end());
  const size_t count = bins_.size() > 1 ? all.size() : all.size() / 2;
  size_ -= all.size();
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

std::vector<OpenExecution> Frontier::give_up_best(uint64_t& rank) {
  rank = best_rank();
  std::vector<OpenExecution> all;
  while (!bins_.empty() && best_rank() == rank) all.push_back(pop_best());
  std::reverse(all.begin(), all.end());
  return all;
}

void Frontier::save(StateWriter& out) const {
  out.put(peak_);
  out.put<uint64_t>(bins_.size());
  for (const auto& [rank, bin] : bins_) {
    out.put(rank);
    out.put(bin.node);
    out.put(bin.leaves);
    out.put(bin.top);
    out.put(bin.size);
    bin.below.save(out);
  }
}

void Frontier::load(StateReader& in, const ExecutionTree& tree) {
  *this = {};
  peak_ = in.get<uint64_t>();
  for (auto bins = in.get<uint64_t>(); bins > 0 && in.good(); --bins) {
    const auto rank = in.get<uint64_t>();
    Bin& bin = bins_[rank];
    bin.node = in.get<NodeIndex>();
    bin.leaves = in.get<uint32_t>();
    bin.top = in.get<Leaf>();
    bin.size = in.get<uint64_t>();
    bin.below.load(in);
    size_ += bin.size;
    bytes_ += bin.below.size();
    if (!sound(bin, tree)) {
      *this = {};
      return in.reject();
    }
  }
  peak_ = std::max(peak_, size_);
}

bool Frontier::sound(Bin bin, const ExecutionTree& tree) {
  if (bin.size == 0 || bin.size > bin.below.size() / 2 + 1) return false;
  while (bin.size > 0)
    if (bin.leaves > bin.size || !tree.holds(pop(bin).node)) return false;
  return bin.below.empty();
}

}  // namespace lockstep
