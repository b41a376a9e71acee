// What an exploration counts of its executions.
#pragma once
#include "search/exploration/explorer.hpp"

namespace lockstep {

void count(TraceView trace, Exploration& sum);
void count_preemptions_of(uint32_t preemptions, std::vector<uint64_t>& counts);

}  // namespace lockstep
