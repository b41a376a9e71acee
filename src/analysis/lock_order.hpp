// Locks taken in opposite orders by threads that could have done so at the same time: no deadlock in this execution,
// but one in another (Goodlock: Havelund 2000). Not told: cycles that a common outer lock prevents, or that lie on
// different sides of a thread's creation or joining.
#pragma once
#include <unordered_set>

#include "analysis/analysis.hpp"

namespace lockstep {

class LockOrderAnalysis final : public Analysis {
 public:
  const char* name() const override { return "lock-order"; }
  const char* summary() const override { return "locks taken in opposite orders: deadlocks that this execution missed"; }
  std::optional<Finding> check(TraceView trace) override;

 private:
  std::unordered_set<uint64_t> seen_;  // nestings looked at before: most executions of a program nest alike
};

}  // namespace lockstep
