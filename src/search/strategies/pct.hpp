// Strategy `pct`, probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi & Nagarakatte 2010): random
// priorities with depth - 1 random changes. It claims a bound on the probability that it has missed a bug.
#pragma once
#include <cstdint>
#include <memory>

#include "search/base/strategy.hpp"

namespace lockstep {

struct PctOptions {
  uint32_t depth = 2;  // ordering constraints that a bug needs: 1 order of events, 2 atomicity or lock order...
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
};

std::unique_ptr<Search> make_pct(const PctOptions& options);

// Probability that all `executions` of PCT miss a bug of this depth in a program with at most this many threads and
// decisions between threads.
double pct_miss_probability(uint32_t depth, uint32_t threads, uint32_t decisions, uint64_t executions);

}  // namespace lockstep
