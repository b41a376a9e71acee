// Lock discipline (Eraser: Savage et al. 1997): does one lock protect all accesses of every shared variable? The
// runtime checks this on demand. The finding is a warning, because other synchronisation can protect a variable as
// well.
#pragma once
#include "analysis/analysis.hpp"

namespace lockstep {

class LockDisciplineAnalysis final : public Analysis {
 public:
  const char* name() const override { return "lock-discipline"; }
  const char* summary() const override { return "shared variables that no common lock protects"; }
  std::vector<Finding> check_all(TraceView trace) override;
};

}  // namespace lockstep
