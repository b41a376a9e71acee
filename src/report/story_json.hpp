// The story of a failure as data, for the page and the Perfetto trace: every row, the relations between rows, and the
// source.
//
// Texts, frames, stacks, files and objects are stored once in tables. Rows are columns of indices into the tables,
// because a trace may have 100,000 steps. -1: none. Keys without a value are left out: `test`, `waits_for`, `why`,
// `passing`, `output`. src/report/page/model.ts describes every key.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/finding.hpp"

namespace lockstep {

// `finding` must be complete: see complete_finding(). `program`: with its arguments.
nlohmann::ordered_json story_json(const Finding& finding, Symbols& symbols, const std::vector<std::string>& program);

}  // namespace lockstep
