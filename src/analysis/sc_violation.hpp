// Executions are explored as if every thread saw every store at once. Processors have store buffers: a load may pass an
// earlier store of its own thread. This tells which executions could then have gone differently, by looking at each
// load: the store it reads is before it in this execution, but only because of an order that store buffers do not keep
// (Burckhardt & Musuvathi 2008, "Sober"). If it is silent on all executions, none can.
#pragma once
#include <memory>

#include "analysis/analysis.hpp"
#include "analysis/common_prefix.hpp"

namespace lockstep {

// The first load that could be answered with an older value, and the store it could miss: indices of steps.
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
