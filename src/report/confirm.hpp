// Completes a finding once its schedule was replayed with stacks: where, why, and its identity.
#pragma once
#include <string>

#include "analysis/finding.hpp"

namespace lockstep {

// `trace` is the detailed replay of `found`, `output` what the program printed in it.
Finding complete_finding(Finding found, Trace trace, std::string output, Symbols& symbols);

}  // namespace lockstep
