// Detects executions that could differ on a processor with store buffers (Burckhardt & Musuvathi 2008, "Sober").
// Lockstep explores executions in which every thread sees every store at once; with store buffers, a load may pass an
// earlier store of its own thread. For each load the analysis checks whether the store that it reads precedes it only
// by an order that store buffers do not keep. If it reports nothing for all executions, there is no such execution.
#pragma once
#include <memory>

#include "analysis/analysis.hpp"
#include "analysis/common_prefix.hpp"

namespace lockstep {

// The first load that could read an older value, and the store that it could miss, as indices of steps.
struct StaleLoad {
  uint32_t load, store;
};
std::optional<StaleLoad> find_stale_load(TraceView trace);

class StoreMonitor;

class ScViolationAnalysis final : public Analysis {
 public:
  ScViolationAnalysis();
  ~ScViolationAnalysis() override;
  const char* name() const override { return "sc-violation"; }
  const char* summary() const override {
    return "loads that may read an older value on a processor with store buffers";
  }
  std::optional<Finding> check(TraceView trace) override;

 private:
  std::optional<StaleLoad> stale_load(TraceView trace);

  std::unique_ptr<CommonPrefix<StoreMonitor>> prefix_;
  Predecessor last_;
  bool delayed_ = false;  // the last trace had a store that can be delayed
  uint64_t looked_at_ = 0;
};

}  // namespace lockstep
