// What could be run next: bins by rank, each bin a stack. The lowest rank goes first; among equals the newest does,
// which is depth-first search and finishes parents early (GAMBIT, section 4).
//
// Most of what is open was found by the same execution as its neighbours, so it is kept as a leaf of four bytes next to
// them and becomes a node of the tree only when it is run.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "search/execution_tree.hpp"

namespace lockstep {

// A deviation from a parent's execution, relative to the parent's own.
struct Leaf {
  uint32_t step : 20, value : 10, cost : 2;

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
  uint64_t size_of(uint64_t rank) const {  // if no lower rank is there
    return bins_.empty() || bins_.begin()->first != rank ? 0 : bins_.begin()->second.size;
  }

  // The older half of what would be run last, oldest first; all of it if something else is run before.
  std::vector<OpenExecution> give_up(uint64_t& rank);

  void save(StateWriter& out) const;
  void load(StateReader& in, const ExecutionTree& tree);

  bool empty() const { return size_ == 0; }
  uint64_t size() const { return size_; }
  uint64_t peak() const { return peak_; }
  uint64_t memory_bytes() const { return leaves_ * sizeof(Leaf) + groups_ * sizeof(Group); }

  template <class F>
  void for_each_leaf(F&& visit) const {
    for (const auto& [rank, bin] : bins_) {
      size_t leaf = 0;
      for (const Group& group : bin.groups)
        for (uint32_t i = 0; i < group.leaves; ++i) visit(group.node, bin.leaves[leaf++]);
    }
  }

 private:
  struct Group {
    NodeIndex node;
    uint32_t leaves;  // none: the node itself is open
  };
  struct Bin {
    std::vector<Group> groups;
    std::vector<Leaf> leaves;  // of all groups
    uint64_t size = 0;         // open executions
  };
  Bin& bin_of(uint64_t rank);

  std::map<uint64_t, Bin> bins_;  // none is empty
  Bin spare_;                     // room of a bin that ran empty: bins come and go often near a search's end
  uint64_t size_ = 0, peak_ = 0, leaves_ = 0, groups_ = 0;
};

}  // namespace lockstep
