// The truth to compare with: counts computed without any search strategy.
#pragma once
#include <cstdint>
#include <map>

#include "fake_program.hpp"

namespace lockstep::fake {

// Number of maximal schedules by number of preemptions: dynamic programming over (state, thread that ran last).
std::map<uint32_t, uint64_t> count_schedules(const Program& program);

uint64_t total(const std::map<uint32_t, uint64_t>& counts, uint32_t most_preemptions = ~0u);

}  // namespace lockstep::fake
