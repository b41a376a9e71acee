// Data races and accesses to freed memory that the runtime found in an execution: each pair of places is a finding.
#pragma once
#include <functional>

#include "analysis/analysis.hpp"

namespace lockstep {

class RaceAnalysis final : public Analysis {
 public:
  const char* name() const override { return "races"; }
  const char* summary() const override { return "data races and uses of freed memory, in instrumented code"; }
  std::vector<Finding> check_all(TraceView trace) override;

  bool races_count = true;                       // false: only accesses to freed memory
  std::function<bool(const DataRace&)> ignored;  // by suppressions; may be empty
  // Why it is not certain that the accesses are unordered; empty text: it is. The finding then is a warning.
  std::function<std::string(const DataRace&)> doubt;
};

}  // namespace lockstep
