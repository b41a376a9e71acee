// The story of a failure as one HTML page that needs nothing else: threads as columns, source beside it.
#pragma once
#include <string>

#include "analysis/finding.hpp"

namespace lockstep {

// `finding` must be complete: see complete_finding().
std::string html_story(const Finding& finding, Symbols& symbols);

}  // namespace lockstep
