// Several strategies in turns, by numbers of executions and never by time, so that the order of executions repeats. The
// first one is the prover: what it has finished is what the mixture may claim; the others only look for bugs.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "search/strategy.hpp"

namespace lockstep {

struct MixturePart {
  std::string name;
  std::unique_ptr<Strategy> strategy;
  uint32_t slice;  // executions in a row
};

struct MixtureOptions {
  // The prover goes first and alone until it has finished this many preemptions or used up its head start, and for as
  // long as it has so little left that interrupting it would not pay.
  uint32_t finish_first = 0;
  uint64_t head_start = 0;   // executions
  uint64_t little_left = 0;  // nodes of its frontier
};

class Mixture final : public Strategy {
 public:
  Mixture(std::vector<MixturePart> parts, MixtureOptions options);

  std::optional<Plan> next() override;
  void learn(TraceView trace) override;

  std::string guarantee() const override;
  bool complete() const override { return prover().complete(); }
  std::string why_incomplete() const override { return prover().why_incomplete(); }
  std::optional<uint32_t> preemptions_completed() const override { return prover().preemptions_completed(); }
  uint64_t frontier_nodes() const override { return prover().frontier_nodes(); }
  uint64_t peak_frontier_nodes() const override { return prover().peak_frontier_nodes(); }
  uint64_t memory_bytes() const override { return prover().memory_bytes(); }
  std::string phase() const override;
  std::string remark() const override;

 private:
  const Strategy& prover() const { return *parts_[0].strategy; }
  bool prover_alone() const;
  std::optional<Plan> take(size_t part);

  std::vector<MixturePart> parts_;
  MixtureOptions options_;
  std::vector<uint64_t> handed_out_, learned_;  // per part
  std::deque<size_t> in_flight_;                // whose, oldest first
  size_t turn_ = 0, last_ = 0;
  uint32_t used_ = 0;  // of the slice whose turn it is
};

}  // namespace lockstep
