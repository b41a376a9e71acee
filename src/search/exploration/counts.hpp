// What an exploration counts of its executions, and the verdict that follows.
#pragma once
#include "search/base/saved_state.hpp"
#include "search/exploration/explorer.hpp"

namespace lockstep {

void count(TraceView trace, Exploration& sum);
void count_preemptions_of(uint32_t preemptions, std::vector<uint64_t>& counts);
void save_counts(StateWriter& out, const Exploration& sum);
void load_counts(StateReader& in, Exploration& sum);

// One thread that ended without a choice: whatever the strategy, there is no other execution.
bool has_no_choices(TraceView trace);
Verdict verdict_of(const Exploration& result);

}  // namespace lockstep
