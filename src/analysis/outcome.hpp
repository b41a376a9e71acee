// The plainest analysis: an execution that ended badly is a finding.
#pragma once
#include "analysis/analysis.hpp"

namespace lockstep {

class OutcomeAnalysis final : public Analysis {
 public:
  const char* name() const override { return "outcome"; }
  const char* summary() const override { return "failed assertions, crashes, deadlocks: executions that ended badly"; }
  std::optional<Finding> check(TraceView trace) override;
};

}  // namespace lockstep
