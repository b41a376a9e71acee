// Findings as annotations of GitHub Actions: lines that its runner shows as notes at the source.
#pragma once
#include <string>

#include "analysis/finding.hpp"

namespace lockstep {

// "::error file=src/bank.cpp,line=31,title=deadlock::worker 1 waits for ...". Paths below `root` are relative to it.
std::string github_annotation(const Finding& bug, const std::string& root);

}  // namespace lockstep
