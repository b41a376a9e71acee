// Memory leaks: blocks that no pointer reaches at the end of the program, as found by the runtime on demand.
#pragma once
#include "analysis/analysis.hpp"

namespace lockstep {

class LeakAnalysis final : public Analysis {
 public:
  const char* name() const override { return "leaks"; }
  const char* summary() const override { return "memory that is unreachable when the program ends (--leaks)"; }
  std::optional<Finding> check(TraceView trace) override;
};

}  // namespace lockstep
