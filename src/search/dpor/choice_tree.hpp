// The open part of a search: decisions taken or planned, as a tree. The children of a node are the alternatives in the
// state its decision leads to, in the order in which they were thought of. That order is their rank: in the subtree of
// one, all elder ones sleep, whether they have been run already or not (any order of exploration is sound then, because
// every alternative will be explored in the end). A tree in `any_order` ranks them by when they were handed out
// instead, and only those sleep that have been executed.
//
// A node may have descendants before it is executed: a sequence to follow, from a wakeup tree (Abdulla, Aronis, Jonsson
// & Sagonas 2014). A finished alternative stays as long as its state is open, for its siblings to sleep by.
#pragma once
#include <cstdint>
#include <vector>

#include "model/plan.hpp"
#include "search/base/large_vector.hpp"
#include "search/base/saved_state.hpp"
#include "search/dpor/label.hpp"

namespace lockstep::dpor {

inline constexpr uint32_t kNone = 0xffff'ffff;  // no node, no record
inline constexpr uint32_t kRoot = 0;

class ChoiceTree {
 public:
  enum class Status : uint8_t { Planned, UnderWay, Executed, Finished };

  struct Node {
    Label label;  // of a thread's step; the strongest possible until it is executed
    uint32_t parent = kNone, first = kNone, last = kNone, next = kNone;
    uint32_t record = 0;         // of the trace; known when the parent has been executed
    uint32_t unfinished = 0;     // children
    uint32_t birth = 0;          // no two nodes have the same, not even one after the other
    uint32_t deviation = kRoot;  // executed: the nearest node above it that is not by_default
    uint16_t value = 0;          // as in Delta
    Status status = Status::Planned;
    bool data = false;        // a data choice: no thread sleeps by it
    bool by_default = false;  // executed: the default schedule decides the same, sleep sets aside
    bool guided = false;      // executed: there was a sequence to follow below it
    // Planned: whether it will write is not known (a compare-and-swap that was seen elsewhere).
    bool uncertain = false;
    // Planned, the end of a sequence: because of an uncertain label it may turn out that somebody who sleeps could have
    // begun the sequence. Then not all that can follow would be explored below it; what is to follow must be planned.
    bool extensible = false;
    // Planned although a sleeping thread can begin what follows. All that can follow, below it, is left to source sets.
    bool by_source_sets = false;
    bool early = false;    // its plan is final and may be handed out before its turn
    bool covered = false;  // skipped
    bool chose = false;    // executed: a data choice followed, which is part of what it did
    // A step whose data choice is part of a sequence: that many alternatives are not to be explored here. It does not
    // stand for all that its thread could do, so nobody sleeps by it.
    uint16_t missing = 0;
  };

  ChoiceTree();
  void set_any_order(bool any_order) { any_order_ = any_order; }
  bool any_order() const { return any_order_; }
  Node& operator[](uint32_t node) { return nodes_[node]; }
  const Node& operator[](uint32_t node) const { return nodes_[node]; }

  uint32_t add(uint32_t parent, uint16_t value, const Label& label, bool data);
  uint32_t child(uint32_t parent, uint16_t value) const;  // kNone if there is none
  template <class F>
  void for_each_child(uint32_t parent, F&& visit) const {
    for (uint32_t c = nodes_[parent].first; c != kNone; c = nodes_[c].next) visit(c);
  }

  // Nothing is left to be found below this node, nor below those of its ancestors that only waited for it.
  // Returns the uppermost of them.
  uint32_t finish(uint32_t node);
  // In any order but depth-first, sequences may still be planned below a node that led to others: they come from what
  // is left of it, as far up as the next node below which everything is explored. Then such a node is finished only
  // when all of that is.
  void keep_guided() { keeps_guided_ = true; }
  bool left_is_finished(uint32_t node) const;
  // A finished one with alternatives missing, one of which is wanted after all; and those above it that had finished.
  void reopen(uint32_t node);
  void hand_out(uint32_t node);  // a planned one is about to be run
  // Whether a node sleeps in the subtrees of its younger siblings. In any order, not if its own state's sleep set
  // covers it, which is inherited; nor if it makes a data choice: its label is that of the choice learned last.
  bool may_sleep(uint32_t node) const {
    const Node& n = nodes_[node];
    return n.missing == 0 && (!any_order_ || (n.status >= Status::Executed && !n.covered && !n.chose));
  }
  bool has_sibling_under_way(uint32_t node) const;  // which would not sleep below it, so it has to wait
  bool may_be_extended(uint32_t node) const;        // more may still be planned below a planned node
  uint32_t leftmost() const;  // what a single depth-first search would run now; kNone if that is under way
  std::vector<uint32_t> available() const;  // planned nodes whose parents have been executed

  // The node itself, or the next one above it, that a plan has to name.
  uint32_t nearest_deviation(uint32_t node) const { return nodes_[node].by_default ? nodes_[node].deviation : node; }
  void add_deltas(uint32_t node, std::vector<Delta>& deltas) const;  // that lead to it
  void cut_off(uint32_t node);                                       // what is planned below one that has not been run
  void skip(uint32_t node);  // a fresh node of a state that stays open: somebody else covers it

  void save(StateWriter& out) const;
  void load(StateReader& in);  // rejects what is no tree
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
  uint32_t free_ = kNone;  // chained through `next`
  uint64_t free_count_ = 0;
};

}  // namespace lockstep::dpor
