// Strategy `seek`: best-first search that runs only executions in which a thread is expected to see values that no
// thread has seen (rank `view`), fewest preemptions first, random among equals. It ends soon and proves nothing: it
// looks for bugs.
#pragma once
#include "search/strategies/random.hpp"

namespace lockstep {

std::unique_ptr<Search> make_view_search(const SeededOptions& options);

}  // namespace lockstep
