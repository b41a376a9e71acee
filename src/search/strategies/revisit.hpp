// Random executions that branch off where earlier ones have rarely been (after Go-Explore, Ecoffet et al. 2021): an
// archive has, for every state met, the first execution that led there. A state counts as the same if every thread has
// just done the same: its last operation, on which object, what kind of operation wrote the value it found, and whether
// another thread had written the object since it last looked. So a compare-and-swap that succeeds over a value that
// came back makes a state of its own, and what follows it is looked at as often as what is common.
#pragma once
#include "search/strategies/random.hpp"

namespace lockstep {

std::unique_ptr<Search> make_revisit(const SeededOptions& options);

}  // namespace lockstep
