// The order in which a tree is walked: which planned node is run next, and when its trace is learned.
//
// * Depth-first: plans are handed out ahead of their turn, as many as are known, and traces that come back early are
//   deferred until their turn. An alternative in the tree will be run with just this plan in any case, because its
//   sleep set depends only on what was there before it. So the executions are the same whatever the number under way.
// * Best-first: the lowest rank first.
// * Lanes: many depth-first searches over one tree, each in a part of it that no other is in.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "search/base/alternative.hpp"
#include "search/dpor/path.hpp"

namespace lockstep::dpor {

struct DeferredTrace {
  uint32_t head;
  Trace trace;
};

class Walk {
 public:
  virtual ~Walk() = default;
  // A planned node whose parent has been executed and whose record is known.
  virtual void add(uint32_t node) = 0;
  // The node to run now. kNone: none until another trace has been learned.
  virtual uint32_t next(bool any_under_way) = 0;
  virtual uint64_t size() const = 0;  // nodes that have been added and neither handed out nor, depth-first, learned
  virtual uint64_t memory_bytes() const { return size() * sizeof(uint32_t); }

  // The trace of `head` is there. True: it is to be learned later, and is kept until then.
  virtual bool defer(uint32_t /*head*/, TraceView) { return false; }
  virtual const DeferredTrace* take_deferred() { return nullptr; }  // the one to be learned now; valid until `defer`
  virtual std::span<const DeferredTrace> deferred() const { return {}; }

  // The trace of `head` is about to be examined.
  virtual void examine(uint32_t /*head*/, TraceView) {}

  // An execution of this lane is under way, or back.
  virtual void occupy(unsigned /*lane*/) {}
  virtual void release(unsigned /*lane*/) {}
  virtual void expect_records(size_t) {}  // of an execution, about
  virtual void clear() {}                 // forget all nodes, but not which lanes are occupied

  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;  // after the tree
};

// GAMBIT (Coons, Musuvathi & McKinley 2010). An alternative belongs to the state it was planned in, however far above
// the execution that asked for it. Of its siblings, those sleep in its subtree that were handed out before it: that is
// a strict order, so no two leave a trace to each other, and the same traces are run whatever the ranks. But only once
// they have been executed: before, nobody knows for sure what they do, nor whether they end the process and cover
// nothing. Not for reversals that plan whole sequences.
struct DporOrder {
  std::function<void(TraceView, std::span<const Delta>)>
      look;  // shown every execution before its alternatives are ranked
  std::function<uint64_t(const Alternative&)> rank;
  bool stacks = false;  // executions shall record stacks
};

std::unique_ptr<Walk> make_depth_first_walk(ChoiceTree& tree);
std::unique_ptr<Walk> make_best_first_walk(ChoiceTree& tree, const Path& path, const DporOrder& order);
// `max_tree_bytes` may change later.
std::unique_ptr<Walk> make_lanes_walk(ChoiceTree& tree, Path& path, unsigned lanes, bool for_one_worker,
                                      const uint64_t& max_tree_bytes);

}  // namespace lockstep::dpor
