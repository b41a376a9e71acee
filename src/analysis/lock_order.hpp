// Locks taken in opposite orders by threads that could have done so at the same time: no deadlock in this execution,
// but one in another (Goodlock: Havelund 2000). Not reported: cycles that a common outer lock prevents, or that lie on
// different sides of a thread's creation or joining.
#pragma once
#include <unordered_set>

#include "analysis/analysis.hpp"
#include "analysis/common_prefix.hpp"

namespace lockstep {

// Who holds one lock while taking another: equal keys, equal nestings.
struct NestedLocks {
  void read(std::span<const Step> steps);

  struct Depth {
    int locks;
    ObjectId last;
  } depth[64];         // not set for a thread that is not `known`
  uint64_t known = 0;  // by bit
  uint64_t key = 0;
  bool many = false;  // threads: no telling
};

class LockOrderAnalysis final : public Analysis {
 public:
  const char* name() const override { return "lock-order"; }
  const char* summary() const override { return "locks taken in opposite orders: another schedule can deadlock"; }
  std::optional<Finding> check(TraceView trace) override;

 private:
  uint64_t nesting_key(TraceView trace);

  CommonPrefix<NestedLocks> prefix_;
  std::unordered_set<uint64_t> seen_;  // nestings looked at before: most executions of a program nest alike
};

}  // namespace lockstep
