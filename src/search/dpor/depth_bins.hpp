// Nodes by depth, the deepest first: what a depth-first search does next.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace lockstep::dpor {

class DepthBins {
 public:
  void push(uint32_t depth, uint32_t node) {
    if (depth >= bins_.size()) bins_.resize(depth + 1);
    bins_[depth].push_back(node);
    deepest_ = std::max(deepest_, depth);
    ++size_;
  }
  uint32_t top() {  // of bins that are not empty: one of the deepest
    while (bins_[deepest_].empty()) --deepest_;
    return bins_[deepest_].back();
  }
  void pop() {  // that one, or any other as deep
    bins_[deepest_].pop_back();
    --size_;
  }
  uint64_t size() const { return size_; }

 private:
  std::vector<std::vector<uint32_t>> bins_;
  uint32_t deepest_ = 0;
  uint64_t size_ = 0;
};

}  // namespace lockstep::dpor
