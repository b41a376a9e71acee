// The open part of a search, as a tree of decisions taken or planned. The children of a node are the alternatives in
// the state after its decision, in the order in which they were planned. In the subtree of a child all its elder
// siblings sleep, whether they have been run or not. This is sound for any order of exploration, because every
// alternative is explored in the end. A tree in `any_order` orders siblings by when they were handed out, and only
// executed siblings sleep.
//
// A node may have descendants before it is executed: a sequence to follow, from a wakeup tree (Abdulla, Aronis, Jonsson
// & Sagonas 2014). A finished alternative stays in the tree while its state is open, because its siblings need it for
// their sleep sets.
#pragma once
#include <cstdint>
#include <vector>

#include "model/plan.hpp"
#include "search/base/large_vector.hpp"
#include "search/base/saved_state.hpp"
#include "search/dpor/label.hpp"

namespace lockstep::dpor {

inline constexpr uint32_t kNone = 0xffff'ffff;  // no node; no record
inline constexpr uint32_t kRoot = 0;

class ChoiceTree {
 public:
  enum class Status : uint8_t { Planned, UnderWay, Executed, Finished };

  struct Node {
    Label label;  // of a thread's step; the strongest possible label until it is executed
    uint32_t parent = kNone, first = kNone, last = kNone, next = kNone;
    uint32_t record = 0;         // index in the trace; known once the parent has been executed
    uint32_t unfinished = 0;     // number of unfinished children
    uint32_t birth = 0;          // unique, also when the memory of a node is reused
    uint32_t deviation = kRoot;  // executed: the nearest node above that is not by_default
    uint16_t value = 0;          // as in Delta
    Status status = Status::Planned;
    bool data = false;        // a data choice: no thread sleeps because of it
    bool by_default = false;  // executed: the default schedule makes the same decision, apart from sleep sets
    bool guided = false;      // executed: there was a sequence to follow below the node
    // Planned: whether the step will write is not known (a compare-and-swap seen at another place).
    bool uncertain = false;
    // Planned, the end of a sequence: because of an uncertain label, a sleeping thread may turn out to be an initial of
    // the sequence. Then not everything is explored below this node; the continuations have to be planned.
    bool extensible = false;
    // Planned although a sleeping thread can begin what follows. Source sets explore everything below.
    bool by_source_sets = false;
    bool early = false;    // the plan is final and may be handed out before its turn
    bool covered = false;  // skipped: covered by another node
    bool chose = false;    // executed: a data choice followed, which is part of the step
    // For a step whose data choice is part of a sequence: the number of alternatives that are not explored here. Such a
    // node does not cover everything its thread could do, so its thread does not sleep because of it.
    uint16_t missing = 0;
  };

  ChoiceTree();
  void set_any_order(bool any_order) { any_order_ = any_order; }
  bool any_order() const { return any_order_; }
  Node& operator[](uint32_t node) { return nodes_[node]; }
  const Node& operator[](uint32_t node) const { return nodes_[node]; }

  uint32_t add(uint32_t parent, uint16_t value, const Label& label, bool data);
  // Sets what is known of a node, just added, in another tree. What depends on its place in this one is computed.
  void restore(uint32_t node, const Node& known);
  uint32_t child(uint32_t parent, uint16_t value) const;  // kNone: no such child
  template <class F>
  void for_each_child(uint32_t parent, F&& visit) const {
    for (uint32_t c = nodes_[parent].first; c != kNone; c = nodes_[c].next) visit(c);
  }

  // The next one of the nodes from `top` down, a node before its children and these before its next sibling; kNone
  // after the last.
  uint32_t next_from_top(uint32_t top, uint32_t node) const;

  // Finishes a node below which nothing is left to explore, and those of its ancestors that only waited for it. Returns
  // the uppermost finished node.
  uint32_t finish(uint32_t node);
  // In an order other than depth-first, more sequences may be planned below a guided node: they come from elder
  // siblings, up to the next node below which everything is explored. After this call, a guided node finishes only when
  // all of those have finished.
  void keep_guided() { keeps_guided_ = true; }
  bool left_is_finished(uint32_t node) const;
  // Reopens a finished node with missing alternatives, one of which is needed after all, and its finished ancestors.
  void reopen(uint32_t node);
  void hand_out(uint32_t node);  // marks a planned node as about to be run
  // Whether the node's thread sleeps in the subtrees of younger siblings. In any order, it does not if the sleep set of
  // its state covers it (the siblings inherit that), nor if it makes a data choice (its label is then the one of the
  // choice learned last).
  bool may_sleep(uint32_t node) const {
    const Node& n = nodes_[node];
    return n.missing == 0 && (!any_order_ || (n.status >= Status::Executed && !n.covered && !n.chose));
  }
  bool has_sibling_under_way(uint32_t node) const;  // the sibling would not sleep below `node`, so `node` has to wait
  bool may_be_extended(uint32_t node) const;        // whether more may be planned below a planned node
  uint32_t leftmost() const;  // the node that a single depth-first search would run now; kNone if it is under way
  std::vector<uint32_t> available() const;  // planned nodes whose parents have been executed

  // The node, or its nearest ancestor, that a plan has to name.
  uint32_t nearest_deviation(uint32_t node) const { return nodes_[node].by_default ? nodes_[node].deviation : node; }
  void add_deltas(uint32_t node, std::vector<Delta>& deltas) const;  // the decisions that lead to the node
  // Removes the nodes planned below one that has not been run.
  void cut_off(uint32_t node);
  void skip(uint32_t node);  // marks a new node as covered by another; its state stays open

  void save(StateWriter& out) const;
  void load(StateReader& in);  // rejects data that is not a tree
  bool holds(uint32_t node) const { return node < nodes_.size(); }

  bool finished() const { return nodes_[kRoot].status == Status::Finished; }
  uint64_t live() const { return nodes_.size() - free_count_; }
  uint64_t memory_bytes() const { return nodes_.size() * sizeof(Node); }

 private:
  void release_children(uint32_t node);
  void close(uint32_t node);
  void settle(uint32_t state);
  void move_behind_handed_out(uint32_t node);

  LargeVector<Node> nodes_;
  bool any_order_ = false;
  bool keeps_guided_ = false;
  uint32_t births_ = 0;
  uint32_t free_ = kNone;  // first free node; the rest is chained through `next`
  uint64_t free_count_ = 0;
};

}  // namespace lockstep::dpor
