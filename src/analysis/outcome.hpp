// The simplest analysis: an execution with a bad outcome is a finding.
#pragma once
#include "analysis/analysis.hpp"

namespace lockstep {

class OutcomeAnalysis final : public Analysis {
 public:
  const char* name() const override { return "outcome"; }
  const char* summary() const override {
    return "executions that fail: assertion, crash, deadlock, livelock, exit code";
  }
  std::optional<Finding> check(TraceView trace) override;
};

}  // namespace lockstep
