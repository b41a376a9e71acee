// The search of ExitBlock (Bruening & Chapin 2000): every order of atomic blocks, depth-first. The runtime runs blocks
// (runtime/policies/blocks.hpp); each execution is one schedule, and the search reads from its trace where another
// thread could have gone first.
//
// Departures from the paper: the delayed threads are a set that accumulates (as printed, one forgets the others); two
// blocks that only read do not conflict; two blocks do, of which one ends holding a lock that the other enters
// (otherwise what has to come before all of a nested region is never tried there); what a block waits for is a reason
// to give the execution up, because nothing is checkpointed, and to run it again with that thread stopped.
//
// Schedules are learned from in depth-first order, however many are under way: what comes back before its turn waits
// for it. So the number of workers changes neither which executions there are nor what is claimed.
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
  std::optional<uint32_t> operations{};  // endpoint of each thread: no preemption after so many operations of it
  uint32_t max_steps = kNoStepLimit;
  bool conflicts = false;    // delayed threads wait for a block that conflicts with theirs (-RW)
  bool deadlocks = false;    // predicted deadlocks of locks are run (-DD)
  bool locks_write = false;  // entering a lock counts as writing it: predicts more deadlocks, runs more
  bool run_delayed = false;  // run delayed threads where others wait for a signal: shows whether it ever comes
  // So many executions go one by one, in the order of the paper, before any is begun ahead of its turn: small spaces
  // are numbered alike with any number of workers.
  uint64_t alone = 128;
  bool private_locks_end = false;  // leaving a lock ends a block even if no other thread uses it
  // Mistakes for tests to notice.
  bool one_delayed = false;       // figure 3 as printed
  bool reads_conflict = false;    // section 5.1 as printed
  bool forget_locks = false;      // as published: a lock held from one block to the next is no conflict; loses orders
  bool never_start_over = false;  // when a lock that was taken for private gets a second user; loses orders
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

  // Which conditions of the method the program did not keep to: there are executions beyond the orders of blocks.
  const std::vector<Criterion>& unmet() const { return criteria_.unmet(); }

  uint64_t schedules() const { return schedules_; }
  uint64_t aborted() const { return aborted_; }

 private:
  struct Memory {
    bool everything = false;
    std::vector<Touched> touched;
    uint32_t variants = 0;  // still to be run: more may be touched than is known
    std::vector<LockWait> waits{};
  };
  struct Stopped {
    ThreadId thread;
    bool aborted;
    ObjectId wanted;
    std::shared_ptr<Memory> memory;
  };
  // A schedule to run: as in `deltas` up to record `start`, where some threads are stopped.
  struct Node {
    enum class Status : uint8_t { Open, UnderWay, Back };  // Back: before its turn
    Status status = Status::Open;
    std::vector<Delta> deltas;
    uint32_t start = kNoStep;
    uint32_t cost = 0;  // preemptions, the decision at `start` included
    std::vector<Stopped> stopped;
    uint32_t choices_after = 0;       // data choices up to this record are others' business
    std::shared_ptr<Memory> variant;  // the block at `start` is known, with other data choices: what it touches adds up
    std::optional<PredictedDeadlock> deadlock;  // not a schedule of blocks: its confirmation
    Trace trace;                                // Back
  };

  enum class Delay : uint8_t { No, Free, Preempts };  // may others go before this block?

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
  std::vector<Node> open_;        // the last one is learned from next
  std::deque<size_t> in_flight_;  // places in open_, in the order in which they come back
  uint64_t learned_ = 0, waiting_bytes_ = 0;
  uint64_t schedules_ = 0, aborted_ = 0, peak_ = 0, confirmed_ = 0;
  uint64_t diverged_ = 0, lost_ = 0, cut_ = 0;
  size_t discarded_ = 0;  // under way when the search started over
  Criteria criteria_;
  LockUsers users_;
  HeldLocks early_;                                     // locks that threads took before the trace begins
  bool nests_locks_ = false;                            // otherwise there is no deadlock to predict
  using Key = std::set<std::pair<uint64_t, uint64_t>>;  // who waits for what
  static Key key_of(const std::vector<LockNesting>& cycle);
  std::map<Key, uint32_t> predicted_;  // how often that was run in vain
  std::map<Key, Finding> unconfirmed_;
};

}  // namespace lockstep
