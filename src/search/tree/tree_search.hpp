// The search that all exhaustive strategies over the execution tree share. A strategy is a choice of parts: the cost of
// a decision, the bound, and the order.
//
// Every execution within the bound is run exactly once: take an execution other than the default one. Undoing its last
// deviation gives an execution with one deviation less, its only parent. The default schedule never preempts, so a
// parent never costs more than its children, and the bound cuts no path to a cheap one.
#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "analysis/bounds.hpp"
#include "model/schedule.hpp"
#include "search/base/alternative.hpp"
#include "search/base/strategy.hpp"
#include "search/tree/execution_tree.hpp"
#include "search/tree/frontier.hpp"
#include "search/tree/spill.hpp"
#include "search/tree/state_cache.hpp"
#include "search/tree/tree_estimate.hpp"

namespace lockstep {

struct TreeSearchParts {
  uint32_t max_steps = kNoStepLimit;
  std::optional<uint32_t> bound;    // alternatives that cost more are left out
  std::optional<uint32_t> depth{};  // alternatives only at the first `depth` steps

  // Lower runs first; among equals the newest runs first. Empty: all are equal, which is depth-first search.
  std::function<uint64_t(const Alternative&)> rank;

  // Called for every execution before its alternatives are ranked, with its deviations; may be empty.
  std::function<void(TraceView, std::span<const Delta>)> look{};
  bool stacks = false;  // executions record stacks

  // Alternatives with a higher rank, or beyond this number, are left out. Then the search proves nothing.
  uint64_t worst_rank = ~uint64_t{0};
  uint64_t most_open = ~uint64_t{0};

  // Ranks are numbers of preemptions, `level_size` of them to a level. A level begins once all executions of lower
  // levels have been learned. So a bound is known to be complete when the next level begins, and the first bug has the
  // fewest preemptions.
  bool level_by_level = false;
  uint32_t level_size = 1;  // numbers of preemptions per level

  // The alternatives of an execution may come before all known ones, so at most 1/16 of the number of learned
  // executions is in flight. That is the whole window after some thousands of executions.
  bool step_by_step = false;
  uint32_t window = ~0u;  // limit of executions in flight

  // The cost of choosing a thread. Empty: a preemption costs one.
  std::function<uint32_t(const ScheduleCursor&, ThreadId)> cost;

  // Bound on the variables at which preemptions happen, whichever come first (VT-CHESS: Bindal, Bansal & Lal 2013). A
  // preemption is charged to what the preempted thread accessed last.
  std::optional<uint32_t> variables;
  // Preemptions happen only next to an access to this memory: the thread's last access or its next one. Empty:
  // everywhere. These accesses are scheduling points (Plan::tracked).
  std::vector<TrackedRange> tracked{};
  bool track = false;  // `tracked` applies, even if it is empty

  // What the bound counts, and the scheduling policy that does not spend any of it.
  const char* unit = "preemption";
  Policy policy = Policy::Default;

  // Explore what follows equivalent beginnings only once.
  bool cache = false;
  bool cache_forgets_who_ran_last = false;  // planted mistake: wrong under a bound

  // Explored in units of at most this many executions (search/base/division.hpp); 0: as a whole.
  uint64_t unit_executions = 0;

  // Planted mistake, as printed in GAMBIT, figure 4: expands at the node's own step as well and repeats executions.
  bool expand_own_step = false;
};

class TreeSearch final : public Strategy, private Division {
 public:
  explicit TreeSearch(TreeSearchParts parts);

  std::optional<Plan> next() override;
  void learn(TraceView trace) override;
  // Adopts an execution that was not run for this search, with all its alternatives. Only for selective searches that
  // count preemptions: its alternatives may be run again.
  void adopt(TraceView trace);

  Claim claim() const override;
  bool complete() const;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

  uint64_t frontier_nodes() const { return frontier_.size() + spill_.size() + units_.size(); }
  uint64_t peak() const { return std::max(frontier_.peak(), peak_of_units_); }
  SearchStatus status() const override;
  uint64_t memory_bytes() const override {
    return tree_.memory_bytes() + frontier_.memory_bytes() + cache_.memory_bytes() + units_.memory_bytes();
  }
  void limit_memory(uint64_t bytes) override { cache_.limit(bytes / 2); }
  bool spill(uint64_t bytes) override;
  Division* division() override { return divided() ? this : nullptr; }
  uint64_t estimated_total() const;

  const ExecutionTree& tree() const { return tree_; }
  uint64_t partial_schedules() const;  // see ExecutionTree

 private:
  struct InFlight {
    NodeIndex node;
    uint64_t rank;
  };

  // --- units: tree_units.cpp ---
  bool at_border() const override { return in_flight_.empty() && !unit_goes_on(); }
  UnitList& units() override;
  bool count(StateReader& totals, uint64_t executions) override;
  std::string after(const std::string&, uint64_t) const override { return {}; }
  void begin(const Unit& unit) override;
  std::vector<UnitPart> end(StateWriter& totals) override;
  bool divided() const { return parts_.unit_executions > 0; }
  bool unit_goes_on() const;
  bool enter_unit();  // false: the unit cannot be entered now
  void leave_unit();
  void hang_unit(const UnitPart& part);
  std::vector<UnitPart> rest_of_unit();
  UnitPart part_of(uint64_t rank, std::span<const OpenExecution> open) const;
  Spill::Item item_of(const OpenExecution& open) const;
  void forget(const OpenExecution& open);
  void hang(uint64_t rank, const std::vector<Spill::Item>& items);
  void load_units(StateReader& in);

  void expand_all(NodeIndex node, TraceView trace);
  template <class Cost>
  void expand(NodeIndex node, TraceView trace, Cost&& cost);
  template <class Cost>
  void expand_step(NodeIndex node, TraceView trace, const ScheduleCursor& cursor, uint32_t spent, Cost&& cost);
  void add(NodeIndex parent, const Alternative& alternative);
  void open(uint64_t rank, NodeIndex parent, uint32_t step, uint16_t value, uint32_t cost);
  NodeIndex node_of(const OpenExecution& open);
  bool visited(const ScheduleCursor& at, uint32_t spent);
  void fingerprint_beginning(TraceView trace, uint32_t records);
  void fingerprint(const Step& step);
  bool allows(const ScheduleCursor& at, ThreadId next);
  bool watches_variables() const { return parts_.variables || parts_.track; }
  void charge(const ScheduleCursor& at);
  std::optional<uint32_t> bound_completed() const;
  bool counts_preemptions() const { return parts_.policy == Policy::Default; }
  bool selective() const { return parts_.worst_rank != ~uint64_t{0} || parts_.most_open != ~uint64_t{0}; }
  bool exhausted() const { return frontier_.empty() && spill_.empty() && in_flight_.empty() && units_.empty(); }
  // True if every alternative of every decision is explored, in order.
  bool plain() const {
    return !parts_.rank && !parts_.bound && !parts_.depth && !parts_.cache && !watches_variables() &&
           counts_preemptions();
  }
  uint64_t open_at_level() const {
    return frontier_.size_of(level_) + in_flight_.size() + (divided() ? units_.size_of(level_) : 0);
  }
  void fetch();                       // brings back spilled executions that are to be run next
  uint64_t lowest_open_rank() const;  // for a search level by level that is not exhausted

  TreeSearchParts parts_;
  ExecutionTree tree_;
  Frontier frontier_;
  Spill spill_;
  struct UnitHere {
    uint64_t rank = 0;
    uint64_t handed_out = 0;  // number of plans
  };
  static constexpr uint64_t kNoUnit = ~uint64_t{0};
  UnitList units_;
  std::optional<UnitHere> unit_;  // the unit being explored here
  bool serves_ = false;           // explores one unit for another process
  uint64_t executed_ = 0, peak_of_units_ = 0;
  Fingerprinter fingerprinter_;
  std::vector<Step> fingerprinted_;  // the steps added to it
  Predecessor fingerprinted_last_;
  StateCache cache_;
  LastAccess last_access_;                        // while an execution is expanded
  std::vector<ObjectId> charged_;                 // variables at which the execution was preempted so far, ascending
  bool no_cache_ = false;                         // from here on in the current execution
  bool pruned_ = false, pruned_wrongly_ = false;  // executions were pruned by the cache
  bool beyond_depth_ = false;                     // alternatives were left out because of the depth
  mutable uint64_t lowest_open_ = 0;              // the previous result
  std::deque<InFlight> in_flight_;                // oldest first
  std::vector<Delta> deltas_;                     // of the current execution
  uint64_t level_ = 0;                            // rank of the newest plan
  bool level_begun_ = false;
  LevelEstimate level_estimate_;
  WeightEstimate weight_estimate_;
  uint64_t diverged_ = 0, lost_ = 0, cut_ = 0;
  std::optional<uint64_t> lowest_cut_rank_;
};

}  // namespace lockstep
