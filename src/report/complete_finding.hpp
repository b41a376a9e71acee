// Completes a finding once its schedule was replayed with stacks: where, why, and its identity.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "analysis/analysis.hpp"

namespace lockstep {

// What the analyses say about the replay of `wanted` that fits it best; with same_kind nothing else than its kind. A
// trace may have several races, a recorded one is known by its fingerprint only.
std::optional<Finding> best_match(const Finding& wanted, bool same_kind, TraceView trace,
                                  std::span<Analysis* const> analyses, Symbols& symbols);

// `trace` is the detailed replay of `found`, `output` what the program printed in it.
Finding complete_finding(Finding found, Trace trace, std::string output, Symbols& symbols);

// The message of a complete finding, with the names that were seen since (Finding::seen).
void retell_message(Finding& found, Symbols& symbols);

}  // namespace lockstep
