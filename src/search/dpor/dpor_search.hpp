// Dynamic partial order reduction over plans and traces. Runs an execution, finds the races in it that could have gone
// the other way, and leaves it to a Reversal to plan what shows that. The strategies differ only in their Reversal.
//
// It is a depth-first search, or many side by side over one tree, so that nobody has to wait for a single execution:
// see DporParts::lanes. In one lane, plans are handed out ahead of their turn, as many as are known, and what comes
// back early is kept until its turn: an alternative that is in the tree will be run with just this plan in any case,
// because who sleeps in it and what it follows depends only on what was there before it. So the executions are the same
// whatever the number under way.
//
// Where an execution gives a reason for which the judge allows no reduction (a thread cancels another, or must not be
// preempted), the search starts over and plans everybody everywhere, within the bound if there is one.
//
// What depends on the beginning of an execution is kept for the path that was looked at last and taken back only as far
// as the next one differs; races are looked for only where the second step is new. So an execution costs what it adds.
#pragma once
#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "analysis/path_fingerprint.hpp"
#include "search/base/alternative.hpp"
#include "search/dpor/choice_tree.hpp"
#include "search/dpor/depth_bins.hpp"
#include "search/dpor/lanes.hpp"
#include "search/dpor/races.hpp"
#include "search/dpor/rank_bins.hpp"
#include "search/judge/judge.hpp"
#include "search/base/strategy.hpp"

namespace lockstep::dpor {

class DporSearch;

// Step `next` could have come before record `first`.
struct Race {
  uint32_t first;
  const Event* next;
  Label did;     // what `next` does where it is
  Label might;   // and at most, elsewhere
  uint32_t at;   // its record, or the end of the execution if it is pending
  uint32_t end;  // what can happen instead is made of records before this one
};

// One step of what can happen instead.
struct SequenceItem {
  Label label;
  uint32_t record;         // where it was seen; kNone: the second of the race
  bool uncertain = false;  // it may do less than the label says
};

class Reversal {
 public:
  virtual ~Reversal() = default;
  virtual void reverse(DporSearch& search, const Race& race) = 0;
  // Instead of finding races by itself the search may leave that to the reversal, too.
  virtual bool finds_races() const { return false; }
  virtual void find_races(DporSearch&, const Event& /*next*/, const Label& /*label*/, uint32_t /*end*/) {}
};

// Another order than depth-first (GAMBIT, Coons, Musuvathi & McKinley 2010): the lowest rank first. An alternative
// belongs to the state it was planned in, however far above the execution that asked for it. Of its siblings, those
// sleep in its subtree that were handed out before it: that is a strict order, so no two leave a trace to each other,
// and the same traces are run whatever the ranks. But only once they have been executed: before, nobody knows for sure
// what they do, nor whether they end the process and cover nothing. Not for reversals that plan whole sequences.
struct DporOrder {
  std::function<void(TraceView, std::span<const Delta>)>
      look;  // shown every execution before its alternatives are ranked
  std::function<uint64_t(const Alternative&)> rank;
  bool stacks = false;  // executions shall record stacks
};

struct DporParts {
  std::unique_ptr<Reversal> reversal;
  bool sleep_sets = true;
  // Where a step might do something else in another order (a compare-and-swap), or the process ended, races are looked
  // at when the execution is over, all of them again: what happens without the first step of a race then includes what
  // came after the second. Wakeup trees need that, because who sleeps below what they plan depends on it.
  bool whole_sequences = false;
  // Nothing below this record, the newest one of the path, is wanted.
  std::function<bool(const DporSearch&, uint32_t record)> give_up;
  Method method = Method::PartialOrder;  // what the judge is asked for
  std::optional<DporOrder> order{};      // none: depth-first
  // So many depth-first searches over one tree, each in a part of it that no other is in. Each keeps what it computed
  // for the path it is on. With source sets, what DporOrder needs and gives holds here, too. Sequences of wakeup trees
  // keep the order they were planned in: one may be run when all before it have been, finished or not; more may be
  // planned below it until all before it is finished (docs/decisions/0012).
  unsigned lanes = 1;
  bool for_one_worker = false;
  uint64_t before_lanes = 1000;  // of wakeup trees: executions in one lane, which tell whether there may be more
  uint32_t max_steps = 1'000'000;
  std::optional<uint32_t> preemptions;  // for the claim, and where nothing is reduced
  bool each_trace_once = false;         // likewise
  // Wrong, and here to show that tests notice: plan a compare-and-swap that failed as if it had to fail again.
  bool observed_labels = false;
  bool overlooks = false;  // see RaceFinder
  // Likewise, of lanes: take what led to others for finished while something before it is not.
  bool forget_guided = false;
  // Likewise, of an order: let siblings sleep that have not been handed out yet.
  bool all_siblings_sleep = false;
};

class DporSearch : public Strategy {
 public:
  explicit DporSearch(DporParts parts);

  std::optional<Plan> next() override;
  void recycle(Plan& plan) override { std::swap(plan_, plan); }
  void learn(TraceView trace) override;
  std::optional<Measures> measures() const override { return measures_; }
  bool counts(TraceView trace) override;
  Claim claim() const override;
  bool complete() const;
  void save(StateWriter& out) const override;
  void for_each_buffered(const std::function<void(TraceView)>& visit) const override;
  void load(StateReader& in) override;
  uint64_t frontier_nodes() const { return turns_.size() + ranked_.size() + lanes_.size(); }
  SearchStatus status() const override;
  uint64_t memory_bytes() const override;
  void limit_memory(uint64_t bytes) override { most_bytes_ = bytes; }
  uint64_t estimated_total() const;

  // For reversals: the execution under examination, its path in the tree, and how to plan alternatives.
  const HappensBefore& order() const { return order_; }
  ChoiceTree& tree() { return tree_; }
  TraceView trace() const { return *trace_; }
  uint32_t state(uint32_t record) const { return tree_[path_[record].node].parent; }  // before that record
  uint32_t taken(uint32_t record) const { return path_[record].node; }
  bool is_step(uint32_t record) const {  // of a thread: neither a note nor a data choice
    return path_[record].step;
  }
  std::span<const Label> asleep(uint32_t record) const {
    return {sleepers_.data() + path_[record].sleep_begin, path_[record].sleep_end - path_[record].sleep_begin};
  }
  bool sleeps(uint32_t record, ThreadId t) const {
    const std::span<const Label> sleepers = asleep(record);
    return std::any_of(sleepers.begin(), sleepers.end(), [t](const Label& sleeper) { return sleeper.thread == t; });
  }
  bool enabled(uint32_t record, ThreadId t) const { return trace_->enabled(trace_->steps()[record]).contains(t); }
  // Steps after the first of the race and before the second that do not depend on the first, then the second: what can
  // happen if the first does not. Empty if that cannot be.
  using Item = SequenceItem;
  uint32_t stuck_at() const;  // where only rounds of spin loops are left, or the end
  std::span<Item> sequence(const Race& race);
  uint32_t choice_after(uint32_t record) const { return chooses_ ? find_choice_after(record) : ChoiceTree::kNone; }
  Label pending_label(uint32_t record, ThreadId t) const;  // of a thread's next step in the state before `record`
  uint32_t plan(uint32_t record, ThreadId t, const Label& label);  // another thread at that record
  void wait_for_turn(uint32_t node);  // a planned node whose parent has been executed and whose record is known
  uint32_t preemptions(uint32_t record) const { return path_[record].preemptions; }  // before that record
  uint32_t preemptions_through(uint32_t record) const {                              // that step included
    return path_[record].preemptions + path_[record].cost;
  }

 private:
  struct alignas(16) PathRecord {
    uint32_t node = ChoiceTree::kNone;        // none for a note
    uint32_t birth = 0;                       // of the node; it may be gone, and another have its number
    uint32_t sleep_begin = 0, sleep_end = 0;  // who sleeps before it
    uint32_t preemptions = 0;                 // before it
    ThreadId running = kNoThread;             // who took the step before it, and whether that was a yield
    bool yielded = false;
    uint8_t cost = 0;         // of its own: 0 or 1
    bool by_default = false;  // the default schedule takes it, too
    bool uncertain = false;   // it or one before it might do something else in another order
    bool spun = false;        // it or one before it may be a round of a spin loop
    bool chose = false;       // it or one before it is a data choice
    bool step = false;        // of a thread: neither a note nor a data choice
  };
  static_assert(sizeof(PathRecord) == 32);

  struct Early {
    uint32_t head;
    Trace trace;
  };
  struct UnderWay {
    uint32_t head;
    unsigned lane;
  };
  // What a lane keeps while another is at work.
  struct Parked {
    HappensBefore order;
    PathFingerprint fingerprint;
    std::vector<PathRecord> path;
    std::vector<Label> sleepers;
    uint64_t bytes = 0;
  };

  uint64_t rank_of(uint32_t node) const;
  bool may_sleep(uint32_t sibling) const;
  bool open_ended(uint32_t head) const;
  bool has_sibling_under_way(uint32_t node) const;
  bool may_go(uint32_t node) const;  // in a lane
  uint32_t best();
  uint32_t next_in_lanes();
  uint32_t leftmost() const;
  bool too_large();
  uint32_t next_head();
  void enter_lanes(size_t records);
  void limit_lanes(size_t records);
  void enter(unsigned lane);
  uint64_t path_bytes() const {
    return order_.memory_bytes() + path_.capacity() * sizeof(PathRecord) + sleepers_.capacity() * sizeof(Label);
  }
  uint32_t turn();  // whose trace is to be learned now
  void keep(uint32_t head, TraceView trace);
  void learn_now(uint32_t head, TraceView trace);
  bool chose_unforeseen(uint32_t head);
  void start_over();
  void reduce_nothing();
  void plan_everybody(uint32_t record);
  // The node itself, or the next one above it, that a plan has to name.
  uint32_t nearest_deviation(uint32_t node) const { return tree_[node].by_default ? tree_[node].deviation : node; }
  void plan_prefix(uint32_t node, Plan& plan) const;
  void plan_sleep(uint32_t head, Plan& plan) const;
  bool on_path(uint32_t node) const {
    const uint32_t record = tree_[node].record;
    return record < path_.size() && path_[record].node == node && path_[record].birth == tree_[node].birth;
  }
  void forget(uint32_t size);  // the path from that record on
  void load_trace(uint32_t head);
  void append(uint32_t node);  // the next record of the trace to the path
  // Who still sleeps after the decision of `node`: `before` and its elder siblings, as far as independent of it.
  void inherit_sleep(uint32_t node, size_t begin, size_t end, std::vector<Label>& sleepers) const;
  uint32_t end_of_interest() const;
  bool explore(uint32_t head);
  uint32_t find_choice_after(uint32_t record) const;
  uint32_t take(uint32_t head, uint32_t state, uint32_t record);
  void plan_data(uint32_t state, uint32_t record);
  void find_pending_races(uint32_t last);
  void reverse_step(uint32_t record, uint32_t end);
  void give_up_instead(uint32_t record, uint32_t end);
  bool certain() const;  // the steps of this execution will do in any order what they did
  void reverse_all(const Event& next, uint32_t at, uint32_t end, bool blocked);
  uint32_t taker_before(const Event& next, uint32_t record) const;
  bool waited_for(uint32_t record, const Event& next, uint32_t at);
  bool leave_out(const Race& race);
  uint32_t change_before(const Event& round, uint32_t record);
  uint32_t ending_step();  // kNone if the execution did not end that way

  DporParts parts_;
  ChoiceTree tree_;
  HappensBefore order_;
  RaceFinder finder_{order_};

  std::optional<TraceView> trace_;        // the one that is being learned
  uint32_t failing_ = ChoiceTree::kNone;  // its step that failed, if one did
  bool chooses_ = true;                   // it has data choices, as far as it was looked at, or perhaps after that
  std::vector<PathRecord> path_;
  PathFingerprint fingerprint_;       // of the path
  std::optional<Measures> measures_;  // of the execution just learned
  std::vector<Label> sleepers_;       // of all records of the path
  std::vector<uint32_t> races_;
  std::vector<Item> sequence_;
  std::vector<uint32_t> left_out_;  // records that are not in it for the sake of spin loops
  mutable std::vector<uint32_t> chain_;
  mutable std::vector<Label> asleep_;

  DepthBins plans_, turns_;  // can be handed out; not learned
  RankBins ranked_;          // instead of both, where there is an order
  Lanes lanes_;              // or where there are lanes
  bool in_lanes_;            // now
  bool one_lane_ = false;    // for good
  bool drains_ = false;      // only the leftmost is run, until there is room again
  uint64_t most_bytes_ = ~uint64_t{0};
  bool any_order_;     // siblings go in the order in which they are handed out
  unsigned lane_ = 0;  // whose path is at hand
  std::vector<Parked> parked_;
  uint64_t parked_bytes_ = 0;
  std::deque<unsigned> idle_;      // lanes with nothing under way
  std::vector<ObjectId> numbers_;  // objects by number, the same for all lanes
  uint64_t peak_waiting_ = 0;
  std::deque<UnderWay> in_flight_;
  std::vector<Early> early_, spare_;
  Plan plan_;  // its memory is used again and again
  bool started_ = false;
  uint64_t executions_ = 0, complete_ = 0, diverged_ = 0, lost_ = 0, cut_ = 0;
  bool reduces_ = true;
  bool abandons_ = false;  // the reduction, because of the execution just learned
  bool repeats_ = false;   // perhaps: what is left to source sets or can time out may be run twice
  bool failed_ = false;    // with others under way, so that a trace may have been seen in several lengths
};

}  // namespace lockstep::dpor
