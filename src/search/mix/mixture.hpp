// A mixture: several strategies take turns, by numbers of executions and never by time, so that the order of executions
// repeats. Some parts are proofs: the mixture claims what one of them has finished. The others only look for bugs. All
// parts observe the executions of the others. The mixture waits for a part that cannot plan ahead. Otherwise that part
// would get one execution for a whole window of the others.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "search/base/strategy.hpp"
#include "search/mix/known_executions.hpp"
#include "search/mix/novelty.hpp"
#include "search/mix/repeat_estimate.hpp"

namespace lockstep {

struct MixturePart {
  std::string name;
  std::unique_ptr<Search> strategy;
  uint32_t slice = 1;  // executions in a row
  enum class Proof : uint8_t { None, Bounded, Full } proof = Proof::None;
  uint32_t early = slice;  // the slice in the early rounds
  bool draws = false;      // its executions are drawn at random, each independently
  bool costly = false;     // learning a long execution takes longer than running it
};

// A turn of the opening; `instead` is used if random executions so far show that the program's space is small.
struct MixtureTurn {
  size_t part;
  size_t instead = part;
};

struct MixtureOptions {
  // The turns at the beginning, one execution each. They are handed out one by one: each part can use all earlier
  // executions, and no part repeats an execution of another.
  std::vector<MixtureTurn> opening{};
  uint32_t early_rounds = 0;  // rounds before the parts get their full slices
  bool learn_shares = false;  // parts that look for bugs then share turns by how much new behaviour they show
  // Once an execution had more than `steps`, the turns of costly parts go to `instead`, except one in `keeps_one_in`.
  struct LongExecutions {
    uint32_t steps;
    size_t instead;
    uint32_t keeps_one_in = 8;
  };
  std::optional<LongExecutions> long_executions{};
  // If the user gave no budget: stop once this many preemptions are proved and this many executions were run.
  struct Enough {
    uint32_t preemptions;
    uint64_t executions;
  };
  std::optional<Enough> enough{};
  std::optional<uint32_t> bound{};  // the requested bound, which a full proof covers as well
};

class Mixture final : public Search {
 public:
  Mixture(std::vector<MixturePart> parts, MixtureOptions options);

  std::optional<Plan> next() override;
  void learn(TraceView trace) override;
  Claim claim() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

  Traits traits() const override;
  SearchStatus status() const override;
  void observe_other(TraceView trace) override;
  void recycle(Plan& plan) override;
  std::optional<Measures> measures() const override;
  bool counts(TraceView trace) override;
  std::vector<Finding> predictions() const override;
  uint64_t memory_bytes() const override;
  void limit_memory(uint64_t bytes) override;
  void stop_when(std::function<bool()> must_stop) override;
  bool spill(uint64_t bytes) override;
  Division* division() override { return nullptr; }  // not divided: the parts learn from each other

 private:
  void look_for_end();
  bool may_end(const MixturePart& part) const;
  bool has_enough() const;
  std::optional<Plan> take(size_t part);
  std::optional<Plan> open();
  void end_of_draws(Plan& plan) const;
  bool opening() const { return opened_ < options_.opening.size(); }
  bool spared(size_t part) const;  // skips executions that other parts have run
  uint32_t slice() const;          // of the current part
  bool favours_samples() const;    // over strategies that learn from every step
  size_t turn_of(size_t part);     // the part that gets the turn of `part`
  void end_round();

  std::vector<MixturePart> parts_;
  MixtureOptions options_;
  std::vector<uint64_t> learned_;  // by part
  uint64_t all_learned_ = 0;
  KnownExecutions known_;
  Repeats repeats_;
  Novelty novelty_;
  std::vector<uint32_t> slices_;  // by part, as learned
  bool has_long_executions_ = false;
  uint64_t costly_turns_ = 0;              // since the first long execution
  std::deque<size_t> in_flight_;           // parts of the plans in flight, oldest first
  std::vector<uint32_t> under_way_;        // by part: number of plans in flight
  const MixturePart* finished_ = nullptr;  // the proof that ends the search
  bool enough_ = false;
  bool failed_ = false;   // some execution failed
  uint32_t longest_ = 0;  // decisions of the longest execution
  size_t opened_ = 0;     // finished turns of the opening
  size_t turn_ = 0, last_ = 0;
  uint32_t used_ = 0;  // of the current slice
  uint64_t round_ = 0;
};

}  // namespace lockstep
