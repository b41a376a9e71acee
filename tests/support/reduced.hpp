// Exploring a test program with a strategy, and the traces that were seen.
#pragma once
#include <algorithm>
#include <map>
#include <set>

#include "analysis/fingerprint.hpp"
#include "programs.hpp"
#include "search/exploration/explorer.hpp"
#include "search/strategies/strategy_registry.hpp"

namespace lockstep {

class Traces final : public Analysis {
 public:
  const char* name() const override { return "traces"; }
  const char* summary() const override { return "collects traces"; }
  std::optional<Finding> check(TraceView trace) override {
    if (trace.outcome() == Outcome::Redundant) return std::nullopt;
    ++executions;
    const Outcome o = trace.outcome();
    failed |= o != Outcome::Ok && o != Outcome::Deadlock && o != Outcome::Livelock;
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

// Every reduction, without a bound and within some. `each_once`: optimal-dpor is to run each trace once.
inline Explored compare_with_depth_first_search(Target& target, bool each_once) {
  const Explored all = explore(target, "dfs");
  EXPECT_TRUE(all.result.complete()) << int(all.result.ending);
  for (const char* strategy : {"dpor", "source-dpor", "optimal-dpor", "best-first:expand=dpor", "chess"}) {
    const Explored e = explore(target, strategy);
    EXPECT_EQ(e.traces.within(~0u), all.traces.within(~0u)) << strategy;
    EXPECT_TRUE(e.result.complete()) << strategy << ": " << int(e.result.ending);
    if (each_once && strategy == std::string("optimal-dpor")) {
      EXPECT_EQ(e.result.executions, all.traces.cost.size());
    }
  }
  for (const uint32_t bound : {0u, 1u, 2u}) {
    const std::set<uint64_t> wanted = all.traces.within(bound);
    EXPECT_EQ(explore(target, "dfs", bound).traces.within(~0u), wanted) << bound;
    EXPECT_EQ(explore(target, "chess", bound).traces.within(~0u), wanted) << bound;
    const Explored bpor = explore(target, "bpor", bound);
    EXPECT_EQ(bpor.traces.within(~0u), wanted) << bound;
    EXPECT_TRUE(bpor.result.complete()) << int(bpor.result.ending);
    for (const char* strategy : {"source-dpor", "optimal-dpor"}) {
      const uint64_t found = explore(target, strategy, bound).result.traces.value_or(0);
      EXPECT_GE(found, wanted.size()) << strategy << " within " << bound;
      if (!all.traces.inexact) {
        EXPECT_EQ(found, wanted.size()) << strategy << " within " << bound;
      }
    }
  }
  return all;
}

}  // namespace lockstep
