// Best-first search that runs only executions in which a thread is expected to see what none has seen (rank `view`),
// fewest preemptions first, among equals in random order. Ends soon and proves nothing: a way to look around.
#pragma once
#include "search/strategies/random.hpp"

namespace lockstep {

std::unique_ptr<Search> make_view_search(const SeededOptions& options);

}  // namespace lockstep
