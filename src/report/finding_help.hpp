// Help for each kind of finding: what it means, and what to do about it.
#pragma once
#include "analysis/finding.hpp"

namespace lockstep {

struct FindingHelp {
  const char* what;    // "Threads wait for each other for ever."
  const char* advice;  // where to look for the cause
};
FindingHelp finding_help(FindingKind kind);

}  // namespace lockstep
