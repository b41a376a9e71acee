// What a trace costs: the fewest preemptions with which any of its executions can be run.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/happens_before.hpp"

namespace lockstep {

// A property of the order alone, and it does not decrease when the execution goes on: leaving a thread that does no
// more in this prefix is free. Searches over the ways to cut the order in two, so it can take long for many threads;
// ask only if the execution at hand costs more than what is allowed.
class TraceCost {
 public:
  // Do all executions of the order's first `size` records have more than `bound` preemptions?
  bool exceeds(const HappensBefore& order, uint32_t size, uint32_t bound);

 private:
  using Cut = std::u32string;  // steps done by each thread, then who did the last one

  void collect(uint32_t size);
  bool can_follow(const Cut& cut, size_t thread) const;
  bool would_go_on(const Cut& cut, size_t thread) const;
  bool has_yielded(const Cut& cut, size_t thread) const;

  const HappensBefore* order_ = nullptr;
  uint32_t size_ = 0;
  std::vector<unsigned> threads_;             // that take steps
  std::vector<std::vector<uint32_t>> steps_;  // of each, as records
  std::unordered_set<Cut> seen_;
  std::vector<Cut> now_, later_;              // to be looked at with this many preemptions, and with one more
};

}  // namespace lockstep
