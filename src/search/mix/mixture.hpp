// Several strategies in turns, by numbers of executions and never by time, so that the order of executions repeats.
// Some of them prove: what one of those has finished is what the mixture may claim; the others only look for bugs. What
// one runs all others observe. A part that cannot plan ahead is waited for: it would otherwise get one execution where
// those that can fill the whole window.
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
  uint32_t early = slice;  // the same in the early rounds
  bool draws = false;      // its executions are drawn at random, each independently
  bool costly = false;     // it takes longer over a long execution than the execution itself
};

// Whose turn it is; `instead` if the program's space is small, by what random executions have shown so far.
struct MixtureTurn {
  size_t part;
  size_t instead = part;
};

struct MixtureOptions {
  // Parts whose turn it is at first, one execution each. They are handed out one by one: each can make use of all
  // before, and what one has run the others do not run again.
  std::vector<MixtureTurn> opening{};
  uint32_t early_rounds = 0;  // before the parts get their whole slices
  bool learn_shares = false;  // then the parts that look for bugs share by what is new in their executions
  // Once an execution had more than `steps`, all turns of costly parts but one in `keeps_one_in` go to `instead`.
  struct LongExecutions {
    uint32_t steps;
    size_t instead;
    uint32_t keeps_one_in = 8;
  };
  std::optional<LongExecutions> long_executions{};
  // Without a budget of the user: stop once this many preemptions are proved and this many executions were run.
  struct Enough {
    uint32_t preemptions;
    uint64_t executions;
  };
  std::optional<Enough> enough{};
  std::optional<uint32_t> bound{};  // what was asked for, which a full proof proves, too
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
  Division* division() override { return nullptr; }  // its parts learn from each other

 private:
  void look_for_end();
  bool may_end(const MixturePart& part) const;
  bool has_enough() const;
  std::optional<Plan> take(size_t part);
  std::optional<Plan> open();
  bool opening() const { return opened_ < options_.opening.size(); }
  bool spared(size_t part) const;  // it need not run again what others have run
  uint32_t slice() const;          // of the part whose turn it is
  bool favours_samples() const;    // over what learns from every step
  size_t turn_of(size_t part);     // who gets its turn
  void end_round();

  std::vector<MixturePart> parts_;
  MixtureOptions options_;
  std::vector<uint64_t> learned_;  // per part
  uint64_t all_learned_ = 0;
  KnownExecutions known_;
  Repeats repeats_;
  Novelty novelty_;
  std::vector<uint32_t> slices_;  // per part, as learned
  bool has_long_executions_ = false;
  uint64_t costly_turns_ = 0;              // since then
  std::deque<size_t> in_flight_;           // whose, oldest first
  std::vector<uint32_t> under_way_;        // per part, how many of these
  const MixturePart* finished_ = nullptr;  // the proof that ends the search
  bool enough_ = false;
  bool failed_ = false;   // some execution did
  uint32_t longest_ = 0;  // decisions of an execution
  size_t opened_ = 0;     // turns of the opening that are over
  size_t turn_ = 0, last_ = 0;
  uint32_t used_ = 0;  // of the slice whose turn it is
  uint64_t round_ = 0;
};

}  // namespace lockstep
