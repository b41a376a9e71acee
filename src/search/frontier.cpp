#include "search/frontier.hpp"

#include <iterator>
#include <utility>

namespace lockstep {

void Frontier::push(uint64_t rank, NodeIndex node) {
  auto [place, fresh] = bins_.try_emplace(rank);
  Bin& bin = place->second;
  if (fresh) bin.swap(spare_);
  bin.push_back(node);
  peak_ = std::max(peak_, ++size_);
}

NodeIndex Frontier::pop_best() {
  const auto best = bins_.begin();
  Bin& bin = best->second;
  const NodeIndex node = bin.back();
  bin.pop_back();
  --size_;
  if (bin.empty()) {
    if (bin.capacity() > spare_.capacity()) bin.swap(spare_);
    bins_.erase(best);
  }
  return node;
}

std::vector<NodeIndex> Frontier::give_up(uint64_t& rank) {
  const auto worst = std::prev(bins_.end());
  Bin& bin = worst->second;
  rank = worst->first;
  const size_t count = bins_.size() > 1 ? bin.size() : bin.size() / 2;
  const auto end = bin.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<NodeIndex> given(bin.begin(), end);
  size_ -= count;
  if (count == bin.size())
    bins_.erase(worst);
  else
    bin.erase(bin.begin(), end);
  return given;
}

void Frontier::save(StateWriter& out) const {
  out.put(peak_);
  out.put<uint64_t>(bins_.size());
  for (const auto& [rank, bin] : bins_) {
    out.put(rank);
    out.put_all(bin);
  }
}

void Frontier::load(StateReader& in, const ExecutionTree& tree) {
  *this = {};
  const auto peak = in.get<uint64_t>();
  for (auto bins = in.get<uint64_t>(); bins > 0 && in.good(); --bins) {
    const auto rank = in.get<uint64_t>();
    for (const NodeIndex node : in.get_all<NodeIndex>()) {
      if (tree.holds(node))
        push(rank, node);
      else
        in.reject();
    }
  }
  peak_ = std::max(peak_, peak);
}

}  // namespace lockstep
