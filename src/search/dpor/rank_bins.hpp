// Nodes by rank, the lowest first and of equals the newest: what a best-first search does next.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "search/base/saved_state.hpp"

namespace lockstep::dpor {

class RankBins {
 public:
  void push(uint64_t rank, uint32_t node) {
    bins_[rank].push_back(node);
    ++size_;
  }
  uint32_t top() const { return bins_.begin()->second.back(); }  // of bins that are not empty
  uint32_t pop() {
    const auto best = bins_.begin();
    const uint32_t node = best->second.back();
    best->second.pop_back();
    if (best->second.empty()) bins_.erase(best);
    --size_;
    return node;
  }
  uint64_t size() const { return size_; }
  uint64_t memory_bytes() const { return size_ * sizeof(uint32_t) + bins_.size() * kBin; }

  void save(StateWriter& out) const {
    out.put<uint64_t>(bins_.size());
    for (const auto& [rank, nodes] : bins_) {
      out.put(rank);
      out.put_all(nodes);
    }
  }
  template <class IsWaiting>
  void load(StateReader& in, IsWaiting&& is_waiting) {
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
      const auto rank = in.get<uint64_t>();
      for (const uint32_t node : in.get_all<uint32_t>()) {
        if (!is_waiting(node)) return in.reject();
        push(rank, node);
      }
    }
  }

 private:
  static constexpr uint64_t kBin = 80;              // bytes of a bin itself, about
  std::map<uint64_t, std::vector<uint32_t>> bins_;  // none is empty
  uint64_t size_ = 0;
};

}  // namespace lockstep::dpor
