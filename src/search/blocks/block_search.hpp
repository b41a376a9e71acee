// The search of ExitBlock (Bruening & Chapin 2000): every order of atomic blocks, depth-first. The runtime runs blocks
// (runtime/policies/atomic_blocks.hpp). Each execution is one schedule, and the search finds in its trace where another
// thread could have gone first.
//
// Departures from the paper:
// * The delayed threads are a set that accumulates. As printed, one delayed thread replaces another.
// * Two blocks that only read do not conflict.
// * Two blocks conflict if one ends holding a lock that the other enters. Otherwise an order in which all of a nested
//   region comes later is never tried.
// * A block that has to wait gives the execution up, because there are no checkpoints. The schedule runs again with
//   that thread stopped.
//
// Traces are learned in depth-first order, however many are under way: a trace that comes back early waits for its
// turn. So the number of workers changes neither the executions nor the claim.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/blocks.hpp"
#include "search/base/strategy.hpp"
#include "search/blocks/block_units.hpp"
#include "search/blocks/criteria.hpp"
#include "search/blocks/deadlocks.hpp"

namespace lockstep {

struct BlockSearchParts {
  std::optional<uint32_t> preemptions{};
  // Endpoint of each thread: no preemption after this many operations of the thread.
  std::optional<uint32_t> operations{};
  uint32_t max_steps = kNoStepLimit;
  bool conflicts = false;    // delayed threads wait for a block that conflicts with theirs (-RW)
  bool deadlocks = false;    // predicted deadlocks of locks are run (-DD)
  bool locks_write = false;  // entering a lock counts as writing it: predicts more deadlocks, runs more
  bool run_delayed = false;  // run delayed threads where others wait for a signal: shows whether it ever comes
  // The first executions run one by one, in the order of the paper, before any is started ahead of its turn: small
  // spaces have the same numbers with any number of workers.
  uint64_t alone = 128;
  bool private_locks_end = false;  // leaving a lock ends a block even if no other thread uses it
  // Planted mistakes that tests have to notice.
  bool one_delayed = false;             // figure 3 as printed
  bool reads_conflict = false;          // section 5.1 as printed
  bool forget_locks = false;            // as published: a lock held across blocks is no conflict; loses orders
  bool never_start_over = false;        // when a private lock gets a second user; loses orders
  bool conflicts_within_bound = false;  // delaying by conflict under a bound loses orders
};

class BlockSearch final : public Strategy {
 public:
  explicit BlockSearch(BlockSearchParts parts);

  std::optional<Plan> next() override;
  void learn(TraceView trace) override;
  Claim claim() const override;
  bool complete() const { return finished() && unmet().empty(); }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;
  Traits traits() const override { return {.preempts_at_points = false, .relies_on_locks = true}; }
  std::vector<Finding> predictions() const override;
  uint64_t memory_bytes() const override;
  SearchStatus status() const override;

  // The conditions of the method that the program violated: there are executions beyond the orders of blocks.
  const std::vector<Criterion>& unmet() const { return criteria_.unmet(); }

  uint64_t schedules() const { return schedules_; }
  uint64_t aborted() const { return aborted_; }

 private:
  struct Memory {
    bool everything = false;
    std::vector<Touched> touched;
    uint32_t variants = 0;  // outcomes still to be run: `touched` may grow
    std::vector<LockWait> waits{};
  };
  struct Stopped {
    ThreadId thread;
    bool aborted;
    ObjectId wanted;
    std::shared_ptr<Memory> memory;
  };
  // A schedule to run: follow `deltas` up to record `start`, where some threads are stopped.
  struct Node {
    enum class Status : uint8_t { Open, UnderWay, Back };  // Back: returned before its turn
    Status status = Status::Open;
    std::vector<Delta> deltas;
    uint32_t start = kNoStep;
    uint32_t cost = 0;  // preemptions, including the decision at `start`
    std::vector<Stopped> stopped;
    uint32_t choices_after = 0;  // data choices up to this record belong to other nodes
    // Memory of the block at `start`, known from other data choices; this outcome adds to it.
    std::shared_ptr<Memory> variant;
    std::optional<PredictedDeadlock> deadlock;  // the node is no schedule of blocks but confirms this deadlock
    Trace trace;                                // if Back
  };

  enum class Delay : uint8_t { No, Free, Preempts };  // may other threads run before this block?

  bool bounded() const { return parts_.preemptions || parts_.operations; }
  bool finished() const { return open_.empty() && diverged_ + lost_ + cut_ == 0; }
  uint8_t flags() const;
  Plan plan_for(const Node& node) const;
  static bool ready(const Node& node);
  void learn_now(TraceView trace);
  void start_over();
  void expand(const Node& node, TraceView trace);
  std::shared_ptr<Memory> branch(const Node& node, TraceView trace, const Block& block, const Node& here, Delay delay,
                                 std::vector<LockWait> waits);
  static std::vector<Touched> without_locks(TraceView trace, const Block& block);
  bool changes_way(const Block& block, const Memory& way) const;
  bool others_could_run(TraceView trace, const Block& block, const std::vector<Stopped>& stopped) const;
  void go_on(TraceView trace, const Block& block, std::vector<Stopped>& stopped) const;
  void add_choices(const Node& node, TraceView trace, const Block& block, const Node& here,
                   const std::shared_ptr<Memory>& memory);
  bool push(Node node);
  class Memories;
  void note_early_locks(TraceView trace);
  void predict(TraceView trace, uint32_t begin, HeldLocks& held, const std::vector<Stopped>& stopped, ThreadId thread,
               const std::vector<LockWait>& waits, std::vector<Node>& predicted);
  void learn_deadlock(const Node& node, TraceView trace);
  static Finding unconfirmed(const std::vector<LockNesting>& cycle, const std::string& message, Trace trace);

  const BlockSearchParts parts_;
  std::vector<Node> open_;        // the last one is learned next
  std::deque<size_t> in_flight_;  // indices into open_, in the order in which traces come back
  uint64_t learned_ = 0, waiting_bytes_ = 0;
  uint64_t schedules_ = 0, aborted_ = 0, peak_ = 0, confirmed_ = 0;
  uint64_t diverged_ = 0, lost_ = 0, cut_ = 0;
  size_t discarded_ = 0;  // plans in flight when the search started over
  Criteria criteria_;
  LockUsers users_;
  HeldLocks early_;                                     // locks taken before the trace begins
  bool nests_locks_ = false;                            // otherwise no deadlock can be predicted
  using Key = std::set<std::pair<uint64_t, uint64_t>>;  // which thread waits for which lock
  static Key key_of(const std::vector<LockNesting>& cycle);
  std::map<Key, uint32_t> predicted_;  // number of runs that did not reach it
  std::map<Key, Finding> unconfirmed_;
};

}  // namespace lockstep
