// Exploring a test program with a strategy, and the traces that were seen.
#pragma once
#include <algorithm>
#include <map>
#include <set>

#include "analysis/fingerprint.hpp"
#include "programs.hpp"
#include "search/explorer.hpp"
#include "search/registry.hpp"

namespace lockstep {

class Traces final : public Analysis {
 public:
  const char* name() const override { return "traces"; }
  const char* summary() const override { return "collects traces"; }
  std::optional<Finding> check(TraceView trace) override {
    if (trace.outcome() == Outcome::SleepBlocked) return std::nullopt;
    ++executions;
    const Outcome o = trace.outcome();
    failed |= o != Outcome::Ok && o != Outcome::Deadlock && o != Outcome::Livelock;
    inexact |= o == Outcome::Livelock;
    for (const Step& step : trace.steps()) inexact |= step.kind == OpKind::Io || step.kind == OpKind::Timer;
    const uint32_t preemptions = count_preemptions(trace);
    const auto [known, fresh] = cost.emplace(fingerprint_of(trace).low, preemptions);
    if (!fresh) known->second = std::min(known->second, preemptions);
    return std::nullopt;
  }
  std::set<uint64_t> within(uint32_t bound) const {
    std::set<uint64_t> found;
    for (const auto& [trace, preemptions] : cost)
      if (preemptions <= bound) found.insert(trace);
    return found;
  }
  std::map<uint64_t, uint32_t> cost;
  uint64_t executions = 0;
  bool inexact = false;  // when something waits is not known from the order, so traces may look cheaper than they are
  bool failed = false;   // then how far others had come by then makes a trace of its own, which reductions leave out
};

struct Explored {
  Exploration result;
  Traces traces;
};

inline Explored explore(Target& target, const std::string& strategy, std::optional<uint32_t> preemptions = {},
                        uint64_t most = 12'000) {
  StrategyOptions options;
  options.spec = strategy;
  options.preemptions = preemptions;
  options.preemptions_none = !preemptions && strategy == "chess";
  options.max_steps = 2000;
  auto made = make_strategy(options);
  Explored explored;
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  if (!made) return explored;
  Analysis* analyses[] = {&explored.traces};
  Budget budget;
  budget.executions = most;
  explored.result = Explorer(**made, target, analyses, budget, true, {}).run();
  return explored;
}

}  // namespace lockstep
