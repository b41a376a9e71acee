// Variable bounding (Bindal, Bansal & Lal 2013): iterative context bounding for one set of shared variables after the
// other, fewest preemptions and smallest sets first, with preemptions only next to accesses to them. Few bugs need more
// than two variables, and only the chosen ones have to be tracked.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"

namespace lockstep {

struct VbOptions {
  uint32_t preemptions = 2;
  uint32_t variables = 2;  // sets of up to so many
  // Orders of so many threads only, by random priorities; two by default if there are many threads.
  std::optional<uint32_t> thread_bound{};
  // Variables of the heap from so many iterations of a loop, besides the first, that has the number 0; none: all.
  std::optional<uint32_t> loop_iterations{};
  uint64_t seed = 0;
  uint32_t max_steps = 1'000'000;
};

std::unique_ptr<Search> make_vb(const VbOptions& options);

}  // namespace lockstep
