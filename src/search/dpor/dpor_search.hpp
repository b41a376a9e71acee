// Dynamic partial order reduction over plans and traces. The search runs an execution, finds its races that can be
// reversed (Path), plans the reversals (Planner, in a ChoiceTree) and chooses the next planned node (Walk).
//
// If an execution gives a reason for which the judge allows no reduction (a thread cancels another, or must not be
// preempted), the search starts over and plans every enabled thread everywhere, within the bound if there is one.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"
#include "search/dpor/planner.hpp"
#include "search/judge/judge.hpp"

namespace lockstep::dpor {

struct DporParts {
  std::unique_ptr<Reversal> reversal;
  bool sleep_sets = true;
  // If a step might act differently in another order (a compare-and-swap), or the process ended, all races are examined
  // once the execution is over. The sequence that avoids the first step of a race then includes steps after the second.
  // Wakeup trees need this, because the sleep sets below the planned nodes depend on it.
  bool whole_sequences = false;
  // True if nothing below this record, the newest of the path, is within the bound.
  std::function<bool(const Path&, uint32_t record)> is_beyond_bound;
  Method method = Method::PartialOrder;  // the method for the judge
  std::optional<DporOrder> order{};      // none: depth-first
  // Number of depth-first searches over one tree. With source sets, siblings are then in any order, as with a
  // DporOrder. Sequences of wakeup trees keep their order: a sequence may be run once all before it have been run; more
  // may be planned below it until all before it have finished (docs/decisions/0012).
  unsigned lanes = 1;
  uint32_t window = ~0u;  // most executions under way
  bool for_one_worker = false;
  uint64_t before_lanes = 1000;  // executions with wakeup trees in one lane first: they show whether lanes are possible
  uint32_t max_steps = kNoStepLimit;
  std::optional<uint32_t> preemptions;  // for the claim, and for plans without reduction
  bool each_trace_once = false;         // for the claim
  Mistakes mistakes{};
};

// Why a search starts over.
enum class Abandoned : uint8_t { No, Reduction, Memory, Time, Anew };

class DporSearch final : public Strategy {
 public:
  explicit DporSearch(DporParts parts);

  std::optional<Plan> next() override;
  void recycle(Plan& plan) override { std::swap(plan_, plan); }
  void learn(TraceView trace) override;
  std::optional<Measures> measures() const override { return measures_; }
  bool counts(TraceView trace) override;
  Claim claim() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;
  SearchStatus status() const override;
  uint64_t memory_bytes() const override;
  void limit_memory(uint64_t bytes) override {
    max_bytes_ = bytes;
    planner_.limit_memory(bytes);
  }
  void stop_when(std::function<bool()> must_stop) override {
    out_of_time_ = false;
    planner_.stop_when(std::move(must_stop));
  }

  // --- a search in units: dpor_part.cpp ---
  bool can_be_divided(uint64_t executions) const;  // after so many
  void begin_crown();                              // from now on others explore what is planned
  ChoiceTree& tree() { return tree_; }
  HappensBefore& objects() { return path_.order(); }
  bool add_counts(StateReader& in, uint64_t executions);  // of a unit; false: because of it the search starts over
  void lose_unit() { ++lost_; }
  void abandon(Abandoned why);
  // Wakeup trees would run much less than source sets do in the units.
  bool is_too_redundant(uint64_t spare) const {
    return parts_.whole_sequences && executions_ > complete_ + executions_ / kMostRedundant + spare;
  }
  // For a new search that explores one unit. False: the bytes are no unit.
  bool begin_part(StateReader& in, uint64_t executions);
  bool part_goes_on() const;
  void end_part(StateWriter& out);  // once nothing is in flight: for add_counts(), then for Crown::take_back()
  void save_part(StateWriter& out) const;
  void load_part(StateReader& in);

 private:
  struct Part {
    uint32_t top = kRoot;  // everything below this node
    uint64_t left = 0;     // executions that it may still have
    Abandoned abandoned = Abandoned::No;
  };
  static constexpr uint64_t kMostRedundant = 8;  // one in so many executions
  void own_part();
  struct UnderWay {
    uint32_t head;  // node of the plan; the root: the first execution
    unsigned lane;
  };

  void use_walk(bool in_lanes);
  void enter_lanes(size_t records);
  void start_over();
  void reduce_nothing();
  void give_up();
  bool is_void() const { return abandons_ || planner_.gave_up() != Planner::GaveUp::No; }  // the planned nodes are void
  void learn_now(uint32_t head, TraceView trace);
  void learn_outcome(uint32_t head, TraceView trace);
  bool chose_unforeseen(uint32_t head, TraceView trace);
  bool explore(uint32_t head, TraceView trace);
  bool extend_path(uint32_t head, uint32_t& state);
  uint32_t take(uint32_t head, uint32_t state, uint32_t record);
  void execute(uint32_t node, uint32_t record);
  void reverse_whole_sequences(uint32_t fresh);
  uint64_t estimated_total() const;

  DporParts parts_;
  std::optional<Part> part_;  // if it explores a unit
  ChoiceTree tree_;
  Path path_;
  Planner planner_;
  std::unique_ptr<Walk> walk_;
  bool in_lanes_ = false;  // the walk uses lanes
  bool one_lane_ = false;  // never lanes again
  uint64_t max_bytes_ = ~uint64_t{0};
  std::deque<UnderWay> under_way_;
  Plan plan_;                         // its memory is reused
  std::optional<Measures> measures_;  // of the execution just learned
  bool started_ = false;
  uint64_t peak_planned_ = 0;
  uint64_t executions_ = 0, complete_ = 0, diverged_ = 0, lost_ = 0, cut_ = 0;
  bool reduces_ = true;
  bool out_of_memory_ = false;  // permanent
  bool out_of_time_ = false;    // until stop_when() gives more time
  bool abandons_ = false;       // gives up reduction because of the last execution
  bool repeats_ = false;        // executions may repeat traces: under source sets, or with steps that can time out
  // An execution ended while other threads could go on: prefixes of a trace may count as traces.
  bool failed_ = false;
};

}  // namespace lockstep::dpor
