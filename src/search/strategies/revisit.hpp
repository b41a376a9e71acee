// Strategy `revisit`: random executions that branch off at rare states (after Go-Explore: Ecoffet et al. 2021). An
// archive keeps, for every state, the first execution that reached it. Two states are equal if the last operations of
// the threads are: the operation and its object, the kind of operation that wrote the value it found, and whether
// another thread had written the object since the thread's last access. So a compare-and-swap that succeeds although
// the value has changed and changed back leads to a separate state, and its continuations are explored as often as
// those of common states.
#pragma once
#include "search/strategies/random.hpp"

namespace lockstep {

std::unique_ptr<Search> make_revisit(const SeededOptions& options);

}  // namespace lockstep
