// Which records of a long failing execution a report tells: only those are replayed with stacks and values.
#pragma once
#include <vector>

#include "analysis/finding.hpp"

namespace lockstep {

// Executions of up to so many steps are told in full.
inline constexpr uint32_t kToldInFull = 50'000;

// Of a long execution: its end, what its threads did last, the steps of the finding, the last switches between threads,
// and where its locks were taken last.
std::vector<RecordRange> told_records(TraceView trace, const Finding& finding);

}  // namespace lockstep
