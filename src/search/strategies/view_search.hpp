// Best-first search that runs only executions in which a thread is expected to see what none has seen (rank `view`),
// fewest preemptions first, among equals in random order. Ends soon and proves nothing: a way to look around.
#pragma once
#include <cstdint>
#include <memory>

#include "search/base/strategy.hpp"

namespace lockstep {

struct ViewSearchOptions {
  uint64_t seed = 0;
  uint32_t max_steps = 1'000'000;
};

std::unique_ptr<Search> make_view_search(const ViewSearchOptions& options);

}  // namespace lockstep
