#include "search/frontier.hpp"

#include <utility>

namespace lockstep {

void Frontier::push(uint64_t rank, NodeIndex node) {
  auto [place, fresh] = bins_.try_emplace(rank);
  Bin& bin = place->second;
  if (fresh) bin.swap(spare_);
  const size_t before = bin.capacity();
  bin.push_back(node);
  capacity_ += bin.capacity() - before;
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
    capacity_ -= bin.capacity();
    bins_.erase(best);
  }
  return node;
}

}  // namespace lockstep
