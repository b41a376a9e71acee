// Data races and accesses of freed memory that the runtime found. Each pair of places is a finding.
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
  std::function<bool(const DataRace&)> ignored;  // suppressions; may be empty
  // The reason why the accesses may be ordered after all; empty text: they are certainly unordered. With a reason the
  // finding is a warning.
  std::function<std::string(const DataRace&)> doubt;
};

}  // namespace lockstep
