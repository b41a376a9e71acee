// Executions that are known but not finished with, as a tree of deviations (GAMBIT, Coons, Musuvathi & McKinley
// 2010): a node is one execution, written down as the one step in which it departs from its parent's.
//
// I1: along a path from the root the steps strictly increase.
// I2: a node's execution and its parent's are equal before the node's step.
// I3: the leaves are exactly the executions still to run or under way; every inner node has been executed.
// So a node deletes itself once it was executed and its last successor is gone, and memory follows the number of
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
  // Costs from here on are not known exactly and have to be counted again from the trace.
  static constexpr uint16_t kCostUnknown = 0xffff;

  struct Node {
    NodeIndex parent;
    uint32_t step;   // record of the trace that is decided otherwise than in the parent; kNoStep for the root
    uint16_t value;  // the decision, as in Delta
    uint16_t cost;   // preemptions up to and including that decision; the default schedule adds none
    uint32_t executed : 1;
    uint32_t successors : 31;  // alive
  };
  static_assert(sizeof(Node) == 16, "millions of them are alive at once");

  NodeIndex create_root();
  NodeIndex create(NodeIndex parent, uint32_t step, uint16_t value, uint32_t cost);

  // A successor that is kept elsewhere for now: its parent stays until it is created after all, or dropped.
  void reserve(NodeIndex parent) { ++at(parent).successors; }
  NodeIndex create_reserved(NodeIndex parent, uint32_t step, uint16_t value, uint32_t cost);
  void drop_reserved(NodeIndex parent);

  // The node was executed and all its successors were created: it and those of its ancestors that only waited for it
  // are deleted.
  void finish(NodeIndex node);

  // A node that was not executed is kept elsewhere from now on.
  void drop(NodeIndex node);

  const Node& operator[](NodeIndex node) const { return at(node); }

  // The deviations on the path from the root: what makes a plan of a node.
  void deltas_of(NodeIndex node, std::vector<Delta>& out) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);
  bool holds(NodeIndex node) const { return static_cast<uint32_t>(node) < fresh_; }

  // How many nodes the same open executions would need with a node for every step: what is stored per execution here is
  // then stored per step of the part that several of them share. `elsewhere`: (parent, step) of reserved successors.
  // Takes time; for measuring.
  uint64_t partial_schedules(const std::vector<std::pair<NodeIndex, uint32_t>>& elsewhere = {}) const;

  uint64_t created() const { return created_; }
  uint64_t executed() const { return executed_; }
  uint64_t live() const { return live_; }
  uint64_t peak() const { return peak_; }
  uint64_t memory_bytes() const { return live_ * sizeof(Node); }

 private:
  // Nodes never move, so growing never copies. Free ones are chained through `parent`.
  static constexpr uint32_t kChunk = 4096;
  Node& at(NodeIndex node) const {
    const auto i = static_cast<uint32_t>(node);
    return chunks_[i / kChunk][i % kChunk];
  }
  NodeIndex allocate();
  void release_finished(NodeIndex node);
  void release(NodeIndex node);

  std::vector<std::unique_ptr<Node[]>> chunks_;
  uint32_t fresh_ = 0;  // nodes from here on were never used
  NodeIndex free_ = kNoNode;
  uint64_t created_ = 0, executed_ = 0, live_ = 0, peak_ = 0;
};

}  // namespace lockstep
