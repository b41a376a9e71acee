// Measures every execution: its fingerprint and its preemptions. Consecutive executions mostly have a long common
// prefix, so only the rest is read.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/fingerprint.hpp"
#include "model/trace.hpp"

namespace lockstep {

class TraceMeter {
 public:
  void read(TraceView trace);
  uint64_t fingerprint() const { return fingerprinter_.value(); }
  uint32_t preemptions() const { return before_.empty() ? 0 : before_.back(); }

 private:
  uint32_t common_prefix(TraceView trace);
  void go_back(uint32_t records);

  BasicFingerprinter<uint64_t> fingerprinter_;
  Predecessor before_this_;
  std::vector<Step> steps_;       // of the last execution
  std::vector<uint32_t> before_;  // preemptions up to and including each record
};

}  // namespace lockstep
