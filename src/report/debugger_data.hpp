// A replayed failure as data for the debugger's script (src/cli/gdb/lockstep_gdb): where to stop, the rows of the story
// with their records, creations and joins, and the pending operation of each thread.
#pragma once
#include <string>

#include "analysis/finding.hpp"

namespace lockstep {

// JSON. `finding` must be complete: see complete_finding(). `story` is its text.
std::string debugger_data(const Finding& finding, Symbols& symbols, const std::string& story);

}  // namespace lockstep
