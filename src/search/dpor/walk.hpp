// The order in which a tree is walked: which planned node is run next, and when its trace is learned.
//
// * Depth-first: all known plans may be handed out ahead of their turn. Traces that come back early are deferred until
//   their turn. A planned alternative will be run with exactly this plan, because its sleep set depends only on earlier
//   nodes. So the executions are the same however many are under way.
// * Best-first: the lowest rank first.
// * Lanes: many depth-first searches over one tree, each in a separate part of the tree.
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
  // Adds a planned node whose parent has been executed and whose record is known.
  virtual void add(uint32_t node) = 0;
  // The node to run now. kNone: none until another trace has been learned.
  virtual uint32_t next(bool any_under_way) = 0;
  virtual uint64_t size() const = 0;  // nodes added and not handed out; depth-first: not learned
  virtual uint64_t memory_bytes() const { return size() * sizeof(uint32_t); }

  // The trace of `head` has arrived. True: it is kept and learned later.
  virtual bool defer(uint32_t /*head*/, TraceView) { return false; }
  virtual const DeferredTrace* take_deferred() { return nullptr; }  // the trace to learn now; valid until `defer`
  virtual std::span<const DeferredTrace> deferred() const { return {}; }

  // Called before the trace of `head` is examined.
  virtual void examine(uint32_t /*head*/, TraceView) {}

  // An execution of this lane is under way, or has come back.
  virtual void occupy(unsigned /*lane*/) {}
  virtual void release(unsigned /*lane*/) {}
  virtual void expect_records(size_t) {}  // approximate length of an execution
  virtual void clear() {}                 // forgets all nodes, but not which lanes are occupied

  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;  // after the tree has been loaded
};

// Best-first order (GAMBIT: Coons, Burckhardt & Musuvathi 2010). An alternative belongs to the state in which it was
// planned, however far above the execution that planned it. Those of its siblings sleep in its subtree that were handed
// out before it. That is a strict order, so no two siblings leave a trace to each other, and the same traces are run
// whatever the ranks. A sibling sleeps only once it has been executed: before that it is not certain what it does, and
// whether it ends the process and covers nothing. Not for reversals that plan whole sequences.
struct DporOrder {
  std::function<void(TraceView, std::span<const Delta>)>
      look;  // called for every execution before its alternatives are ranked
  std::function<uint64_t(const Alternative&)> rank;
  bool stacks = false;  // executions record stacks
};

// `max_bytes`, the memory of the search, may change later. A part of it is for traces that came back early.
std::unique_ptr<Walk> make_depth_first_walk(ChoiceTree& tree, const uint64_t& max_bytes);
std::unique_ptr<Walk> make_best_first_walk(ChoiceTree& tree, const Path& path, const DporOrder& order);
// `max_tree_bytes`: likewise.
std::unique_ptr<Walk> make_lanes_walk(ChoiceTree& tree, Path& path, unsigned lanes, bool for_one_worker,
                                      const uint64_t& max_tree_bytes);

}  // namespace lockstep::dpor
