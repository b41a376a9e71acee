// Completes a finding once its schedule was replayed with stacks: location, message and fingerprint.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "analysis/analysis.hpp"

namespace lockstep {

// The finding of the analyses in the replay of `wanted` that matches it best; with `same_kind` only one of the same
// kind. A trace may have several races; a recorded race is identified by its fingerprint only.
std::optional<Finding> best_match(const Finding& wanted, bool same_kind, TraceView trace,
                                  std::span<Analysis* const> analyses, Symbols& symbols);

// `trace` is the detailed replay of `found`, `output` the output of the program in it.
Finding complete_finding(Finding found, Trace trace, std::string output, Symbols& symbols);

// Builds the message of a complete finding again, with the names found since (Finding::seen).
void retell_message(Finding& found, Symbols& symbols);

}  // namespace lockstep
