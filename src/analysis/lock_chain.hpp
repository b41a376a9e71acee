// Reverse lock chains (Bruening & Chapin 2000, section 6.1): deadlocks that would have happened in another schedule.
//
// A thread cannot get a lock. What if the owner had not yet taken the lock it released last? If following owners and
// their last locks leads back to the thread, all of them would wait for each other. The last lock must have been taken
// inside the one still held: the paper has properly nested locks only, C++ also hand-over-hand locking.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/finding.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"

namespace lockstep {

struct LockChain {
  std::vector<LockNesting> cycle;  // `thread` holds `held` and wants `wanted`
  // The schedule that would show it, as wishes of Policy::Guided: the execution up to where the chain was seen, without
  // what its threads did from taking their last lock on.
  std::vector<Delta> wishes;
};

// All chains that the execution shows where some block ends and where it ends itself, each cycle once.
std::vector<LockChain> reverse_lock_chains(TraceView trace);

}  // namespace lockstep
