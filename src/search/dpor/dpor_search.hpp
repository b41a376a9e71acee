// Dynamic partial order reduction over plans and traces. Runs an execution, finds the races in it that could have gone
// the other way (Path), plans what shows that (Planner, in a ChoiceTree), and goes on with what is planned (Walk).
//
// Where an execution gives a reason for which the judge allows no reduction (a thread cancels another, or must not be
// preempted), the search starts over and plans every thread everywhere, within the bound if there is one.
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
  // Where a step might do something else in another order (a compare-and-swap), or the process ended, races are looked
  // at when the execution is over, all of them again: what happens without the first step of a race then includes what
  // came after the second. Wakeup trees need that, because the sleep sets below what they plan depend on it.
  bool whole_sequences = false;
  // Nothing below this record, the newest one of the path, is within the bound.
  std::function<bool(const Path&, uint32_t record)> is_beyond_bound;
  Method method = Method::PartialOrder;  // what the judge is asked for
  std::optional<DporOrder> order{};      // none: depth-first
  // So many depth-first searches over one tree. With source sets, siblings are in any order then, as with a DporOrder.
  // Sequences of wakeup trees keep the order they were planned in: one may be run when all before it have been,
  // finished or not; more may be planned below it until all before it is finished (docs/decisions/0012).
  unsigned lanes = 1;
  uint32_t window = ~0u;  // most executions under way
  bool for_one_worker = false;
  uint64_t before_lanes = 1000;  // executions of wakeup trees in one lane, which show whether there may be more
  uint32_t max_steps = kNoStepLimit;
  std::optional<uint32_t> preemptions;  // for the claim, and where nothing is reduced
  bool each_trace_once = false;         // likewise
  Mistakes mistakes{};
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

 private:
  struct UnderWay {
    uint32_t head;  // the root: the first execution
    unsigned lane;
  };

  void use_walk(bool in_lanes);
  void enter_lanes(size_t records);
  void start_over();
  void reduce_nothing();
  void give_up();
  bool is_void() const { return abandons_ || planner_.gave_up() != Planner::GaveUp::No; }  // what was planned
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
  ChoiceTree tree_;
  Path path_;
  Planner planner_;
  std::unique_ptr<Walk> walk_;
  bool in_lanes_ = false;  // the walk is
  bool one_lane_ = false;  // for good
  uint64_t max_bytes_ = ~uint64_t{0};
  std::deque<UnderWay> under_way_;
  Plan plan_;                         // its memory is used again and again
  std::optional<Measures> measures_;  // of the execution just learned
  bool started_ = false;
  uint64_t peak_planned_ = 0;
  uint64_t executions_ = 0, complete_ = 0, diverged_ = 0, lost_ = 0, cut_ = 0;
  bool reduces_ = true;
  bool out_of_memory_ = false;  // for good
  bool out_of_time_ = false;    // until it gets more
  bool abandons_ = false;       // the reduction, because of the execution just learned
  bool repeats_ = false;        // perhaps: what is left to source sets or can time out may be run twice
  bool failed_ = false;         // with others under way, so that a trace may have been seen in several lengths
};

}  // namespace lockstep::dpor
