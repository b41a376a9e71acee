// The frontier: executions that can be run next, in bins by rank; each bin is a stack. The lowest rank goes first.
// Among equals the newest goes first, which is depth-first search and finishes parents early (GAMBIT, section 4).
//
// Most open executions were found by the same execution as their neighbours. So they are stored as leaves next to each
// other, by the distance from the leaf below, and become nodes of the tree only when they are run. Most need two bytes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "search/base/byte_stack.hpp"
#include "search/tree/execution_tree.hpp"

namespace lockstep {

// A deviation from the parent's execution, relative to the parent's own deviation.
struct Leaf {
  uint32_t step : 20, value : 10, cost : 2;
  bool operator==(const Leaf&) const = default;

  static std::optional<Leaf> of(const ExecutionTree::Node& parent, uint32_t step, uint16_t value,
                                uint32_t cost);  // the leaf, if the numbers fit
  uint32_t step_after(const ExecutionTree::Node& parent) const {
    return (parent.step == kNoStep ? 0 : parent.step) + step;
  }
  uint32_t cost_after(const ExecutionTree::Node& parent) const { return parent.cost + cost; }
};
static_assert(sizeof(Leaf) == 4);

// A separate node, or a leaf below `node`.
struct OpenExecution {
  NodeIndex node;
  std::optional<Leaf> leaf;
};

class Frontier {
 public:
  void push(uint64_t rank, NodeIndex node);
  void push(uint64_t rank, NodeIndex parent, Leaf leaf);
  OpenExecution pop_best();                                    // the frontier must not be empty
  uint64_t best_rank() const { return bins_.begin()->first; }  // the frontier must not be empty
  uint64_t size_of(uint64_t rank) const {                      // only if no lower rank is open
    return bins_.empty() || bins_.begin()->first != rank ? 0 : bins_.begin()->second.size;
  }

  // Removes the older half of the executions that would run last, oldest first; all of them if another rank runs
  // before.
  std::vector<OpenExecution> give_up(uint64_t& rank);
  std::vector<OpenExecution> give_up_best(uint64_t& rank);  // removes all executions of the lowest rank, oldest first

  void save(StateWriter& out) const;
  void load(StateReader& in, const ExecutionTree& tree);

  bool empty() const { return size_ == 0; }
  uint64_t size() const { return size_; }
  uint64_t peak() const { return peak_; }
  uint64_t memory_bytes() const { return bytes_ + bins_.size() * kBinBytes; }

  // Slow; for measuring.
  template <class F>
  void for_each_leaf(F&& visit) const {
    for (const auto& [rank, bin] : bins_)
      for (Bin rest = bin; rest.size > 0;)
        if (const OpenExecution open = pop(rest); open.leaf) visit(open.node, *open.leaf);
  }

 private:
  // The topmost group is unpacked; the others are packed below it.
  struct Bin {
    ByteStack below;
    NodeIndex node{0};
    uint32_t leaves = 0;  // open leaves of `node`; 0: the node itself is open
    Leaf top{};           // the newest leaf
    uint64_t size = 0;    // open executions
  };
  static constexpr uint64_t kBinBytes = sizeof(std::pair<const uint64_t, Bin>) + 4 * sizeof(void*);

  Bin& bin_of(uint64_t rank);
  void began(Bin& bin, NodeIndex node);  // starts a group of this node on top of the bin
  static OpenExecution pop(Bin& bin);
  void count(uint64_t bytes_before, const Bin& bin);
  static bool sound(Bin bin, const ExecutionTree& tree);  // checks a bin that was read from a file

  std::map<uint64_t, Bin> bins_;  // no bin is empty
  Bin spare_;                     // an empty bin for reuse: near the end of a search, bins come and go often
  uint64_t size_ = 0, peak_ = 0, bytes_ = 0;
};

}  // namespace lockstep
