// Is every variable that threads share always accessed under a lock of its own (Eraser)? The runtime says so, when it
// was asked to look. A warning: other synchronisation does as well.
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
