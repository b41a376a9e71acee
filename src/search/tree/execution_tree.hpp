// The tree of known executions that are not finished, by deviations (GAMBIT: Coons, Burckhardt & Musuvathi 2010). A
// node is an execution, stored as the one step at which it departs from its parent's execution.
//
// I1: along a path from the root the steps strictly increase.
// I2: a node's execution and its parent's are equal before the node's step.
// I3: the leaves are exactly the executions still to run or under way; every inner node has been executed.
// So a node is deleted once it has been executed and its last successor is gone. Memory follows the number of
// executions discovered but not yet run, not the number ever run.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/plan.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

enum class NodeIndex : uint32_t {};
inline constexpr NodeIndex kNoNode{0xffff'ffff};

class ExecutionTree {
 public:
  // Costs from here on are not stored exactly and have to be counted again from the trace.
  static constexpr uint16_t kCostUnknown = 0xffff;

  struct Node {
    NodeIndex parent;
    uint32_t step;   // the record with another decision than in the parent; kNoStep for the root
    uint16_t value;  // the decision, as in Delta
    uint16_t cost;   // preemptions up to and including the decision; the default schedule adds none
    uint32_t executed : 1;
    uint32_t successors : 31;  // not yet deleted
  };
  static_assert(sizeof(Node) == 16, "millions of them are alive at once");

  NodeIndex create_root();
  NodeIndex create(NodeIndex parent, uint32_t step, uint16_t value, uint32_t cost);

  // Counts a successor that is stored elsewhere: the parent stays until the successor is created or dropped.
  void reserve(NodeIndex parent) { ++at(parent).successors; }
  NodeIndex create_reserved(NodeIndex parent, uint32_t step, uint16_t value, uint32_t cost);
  void drop_reserved(NodeIndex parent);

  // Called when the node was executed and all its successors were created. Deletes the node and those of its ancestors
  // that only waited for it, once they have no successors.
  void finish(NodeIndex node);

  // Deletes a node that was not executed and is stored elsewhere from now on.
  void drop(NodeIndex node);

  const Node& operator[](NodeIndex node) const { return at(node); }

  // The deviations on the path from the root: the plan of the node.
  void deltas_of(NodeIndex node, std::vector<Delta>& out) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);
  bool holds(NodeIndex node) const { return static_cast<uint32_t>(node) < fresh_; }

  // The number of nodes that the same open executions would need with a node for every step. Then the parts that
  // several executions share would be stored per step. `elsewhere`: (parent, step) of reserved successors. Slow; for
  // measuring.
  uint64_t partial_schedules(const std::vector<std::pair<NodeIndex, uint32_t>>& elsewhere = {}) const;

  uint64_t created() const { return created_; }
  uint64_t executed() const { return executed_; }
  uint64_t live() const { return live_; }
  uint64_t peak() const { return peak_; }
  uint64_t memory_bytes() const { return live_ * sizeof(Node); }

 private:
  // Nodes never move, so growing never copies. Free nodes are chained through `parent`.
  static constexpr uint32_t kChunk = 4096;
  Node& at(NodeIndex node) const {
    const auto i = static_cast<uint32_t>(node);
    return chunks_[i / kChunk][i % kChunk];
  }
  NodeIndex allocate();
  void release_finished(NodeIndex node);
  void release(NodeIndex node);

  std::vector<std::unique_ptr<Node[]>> chunks_;
  uint32_t fresh_ = 0;  // nodes from here on have never been used
  NodeIndex free_ = kNoNode;
  uint64_t created_ = 0, executed_ = 0, live_ = 0, peak_ = 0;
};

}  // namespace lockstep
