// What could be run next: bins by rank, each bin a stack. The lowest rank goes first; among equals the newest does,
// which is depth-first search and finishes parents early (GAMBIT, section 4).
//
// Most of what is open was found by the same execution as its neighbours, so it is kept as a leaf next to them, as the
// distance from the one below, and becomes a node of the tree only when it is run. That makes two bytes of most.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "search/base/byte_stack.hpp"
#include "search/tree/execution_tree.hpp"

namespace lockstep {

// A deviation from a parent's execution, relative to the parent's own.
struct Leaf {
  uint32_t step : 20, value : 10, cost : 2;
  bool operator==(const Leaf&) const = default;

  static std::optional<Leaf> of(const ExecutionTree::Node& parent, uint32_t step, uint16_t value,
                                uint32_t cost);  // if it fits
  uint32_t step_after(const ExecutionTree::Node& parent) const {
    return (parent.step == kNoStep ? 0 : parent.step) + step;
  }
  uint32_t cost_after(const ExecutionTree::Node& parent) const { return parent.cost + cost; }
};
static_assert(sizeof(Leaf) == 4);

// A node of its own, or a leaf below `node`.
struct OpenExecution {
  NodeIndex node;
  std::optional<Leaf> leaf;
};

class Frontier {
 public:
  void push(uint64_t rank, NodeIndex node);
  void push(uint64_t rank, NodeIndex parent, Leaf leaf);
  OpenExecution pop_best();                                    // of a frontier that is not empty
  uint64_t best_rank() const { return bins_.begin()->first; }  // likewise
  uint64_t size_of(uint64_t rank) const {                      // if no lower rank is there
    return bins_.empty() || bins_.begin()->first != rank ? 0 : bins_.begin()->second.size;
  }

  // The older half of what would be run last, oldest first; all of it if something else is run before.
  std::vector<OpenExecution> give_up(uint64_t& rank);
  std::vector<OpenExecution> give_up_best(uint64_t& rank);  // all of the lowest rank, oldest first

  void save(StateWriter& out) const;
  void load(StateReader& in, const ExecutionTree& tree);

  bool empty() const { return size_ == 0; }
  uint64_t size() const { return size_; }
  uint64_t peak() const { return peak_; }
  uint64_t memory_bytes() const { return bytes_ + bins_.size() * kBinBytes; }

  // Takes time; for measuring.
  template <class F>
  void for_each_leaf(F&& visit) const {
    for (const auto& [rank, bin] : bins_)
      for (Bin rest = bin; rest.size > 0;)
        if (const OpenExecution open = pop(rest); open.leaf) visit(open.node, *open.leaf);
  }

 private:
  // The topmost group lies open, the others are packed below it.
  struct Bin {
    ByteStack below;
    NodeIndex node{0};
    uint32_t leaves = 0;  // of that node; none: the node itself is open
    Leaf top{};           // the newest of these
    uint64_t size = 0;    // open executions
  };
  static constexpr uint64_t kBinBytes = sizeof(std::pair<const uint64_t, Bin>) + 4 * sizeof(void*);

  Bin& bin_of(uint64_t rank);
  void began(Bin& bin, NodeIndex node);  // a group of this node, on top of what is there
  static OpenExecution pop(Bin& bin);
  void count(uint64_t bytes_before, const Bin& bin);
  static bool sound(Bin bin, const ExecutionTree& tree);  // as read from a file

  std::map<uint64_t, Bin> bins_;  // none is empty
  Bin spare_;                     // room of a bin that ran empty: bins come and go often near a search's end
  uint64_t size_ = 0, peak_ = 0, bytes_ = 0;
};

}  // namespace lockstep
