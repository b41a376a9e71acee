// Operations on locks and the like that the runtime found wrong, and loops that spin without a yield (a livelock, by
// --error livelock): each place is a finding, however the execution ended.
#pragma once
#include "analysis/analysis.hpp"

namespace lockstep {

class LockMisuseAnalysis final : public Analysis {
 public:
  const char* name() const override { return "lock-misuse"; }
  const char* summary() const override {
    return "locks unlocked by a thread that does not hold them, destroyed or freed while in use, or used after that";
  }
  std::vector<Finding> check_all(TraceView trace) override;
};

}  // namespace lockstep
