// The planned nodes of several depth-first searches over one tree. Each lane takes the deepest node that it planned
// itself. A lane without nodes takes the shallowest node of another lane, which has the most below it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/base/saved_state.hpp"
#include "search/dpor/choice_tree.hpp"

namespace lockstep::dpor {

class Lanes {
 public:
  explicit Lanes(unsigned count) : lanes_(count) {}
  unsigned count() const { return static_cast<unsigned>(lanes_.size()); }
  uint64_t size() const { return size_; }

  void push(unsigned lane, uint32_t depth, uint32_t node) {
    Lane& l = lanes_[lane];
    if (depth >= l.bins.size()) l.bins.resize(depth + 1);
    l.bins[depth].push_back(node);
    l.deepest = l.size == 0 ? depth : std::max(l.deepest, depth);
    l.shallowest = l.size == 0 ? depth : std::min(l.shallowest, depth);
    ++l.size;
    ++size_;
  }

  void save(StateWriter& out) const {
    for (const Lane& l : lanes_) {
      out.put<uint64_t>(l.bins.size());
      for (const std::vector<uint32_t>& bin : l.bins) out.put_all(bin);
    }
  }
  template <class IsNode>
  void load(StateReader& in, IsNode&& is_node) {
    for (unsigned lane = 0; lane < count(); ++lane) {
      const auto depths = in.get<uint64_t>();
      for (uint64_t depth = 0; depth < depths && in.good(); ++depth)
        for (const uint32_t node : in.get_all<uint32_t>()) {
          if (!is_node(node)) return in.reject();
          push(lane, static_cast<uint32_t>(depth), node);
        }
    }
  }

  template <class Ready>
  uint32_t take_own(unsigned lane, Ready&& ready) {
    Lane& l = lanes_[lane];
    if (l.size == 0) return kNone;
    while (l.bins[l.deepest].empty()) --l.deepest;
    for (uint32_t depth = l.deepest; depth + 1 > l.shallowest; --depth)
      if (const uint32_t node = take(l, depth, ready); node != kNone) return node;
    return kNone;
  }

  template <class Ready>
  uint32_t take_from_others(unsigned lane, Ready&& ready) {
    if (size_ == lanes_[lane].size) return kNone;
    uint32_t last = 0, depth = kNone;
    for (Lane& l : lanes_) {
      if (l.size == 0) continue;
      while (l.bins[l.shallowest].empty()) ++l.shallowest;
      depth = std::min(depth, l.shallowest);
      last = std::max(last, l.deepest);
    }
    for (; depth <= last; ++depth)
      for (Lane& l : lanes_)
        if (&l != &lanes_[lane] && l.size > 0 && depth >= l.shallowest && depth < l.bins.size())
          if (const uint32_t node = take(l, depth, ready); node != kNone) return node;
    return kNone;
  }

 private:
  struct Lane {
    std::vector<std::vector<uint32_t>> bins;  // by depth
    uint32_t shallowest = 0, deepest = 0;     // all nodes lie in this range
    uint64_t size = 0;
  };

  template <class Ready>
  uint32_t take(Lane& lane, uint32_t depth, Ready&& ready) {
    std::vector<uint32_t>& bin = lane.bins[depth];
    for (size_t i = bin.size(); i-- > 0;) {
      const uint32_t node = bin[i];
      if (!ready(node)) continue;
      bin.erase(bin.begin() + static_cast<std::ptrdiff_t>(i));
      --lane.size;
      --size_;
      return node;
    }
    return kNone;
  }

  std::vector<Lane> lanes_;
  uint64_t size_ = 0;
};

}  // namespace lockstep::dpor
