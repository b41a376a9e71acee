// Locks taken in opposite orders by threads that could have taken them at the same time: another execution can deadlock
// (Goodlock: Havelund 2000). Cycles that a common outer lock prevents are not reported, nor cycles whose locks are
// separated by a thread's creation or join.
#pragma once
#include <unordered_set>

#include "analysis/analysis.hpp"
#include "analysis/common_prefix.hpp"

namespace lockstep {

// A key of the nested locks: executions with equal keys have the same nestings.
struct NestedLocks {
  void read(std::span<const Step> steps);

  struct Depth {
    int locks;
    ObjectId last;
  } depth[64];         // not set for a thread that is not `known`
  uint64_t known = 0;  // by bit
  uint64_t key = 0;
  bool many = false;  // more threads than `depth` has: the key is unknown
};

class LockOrderAnalysis final : public Analysis {
 public:
  const char* name() const override { return "lock-order"; }
  const char* summary() const override { return "locks taken in opposite orders: another schedule can deadlock"; }
  std::optional<Finding> check(TraceView trace) override;

 private:
  uint64_t nesting_key(TraceView trace);

  CommonPrefix<NestedLocks> prefix_;
  std::unordered_set<uint64_t> seen_;  // nestings examined before: most executions of a program have the same
};

}  // namespace lockstep
