// Bounds reductions by the cost of a trace (Marmanis, Kokologiannakis & Vafeiadis 2023).
//
// A plain bound is unsound: the execution that represents a trace in a reduction may cost more than another execution
// of the same trace. The cost of a trace is the minimum over its executions, so a prefix may be dropped as soon as its
// trace costs more than the bound. But a trace that the reduction finds below a prefix may cost less than the prefix,
// by at most one preemption for every thread but two; hence the slack. All traces within the bound are explored, and
// some that cost more by up to the slack.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/min_preemptions.hpp"
#include "search/dpor/path.hpp"

namespace lockstep::dpor {

inline constexpr int kSlackByThreads = -1;  // the sound slack; other values are for tests

// The number of threads that take steps or have a pending one.
inline uint32_t active_threads(TraceView trace) {
  std::vector<bool> active(kMaxThreads);
  for (const Step& step : trace.steps())
    if (!step.is_note()) active[index_of(step.thread)] = true;
  for (const Step& step : trace.pending())
    if (step.kind != OpKind::Join) active[index_of(step.thread)] = true;
  return static_cast<uint32_t>(std::count(active.begin(), active.end(), true));
}

inline std::function<bool(const Path&, uint32_t)> beyond_trace_cost(uint32_t bound, int slack = kSlackByThreads) {
  return [bound, slack, cost = std::make_shared<MinPreemptions>()](const Path& path, uint32_t record) {
    const uint32_t spent = path.preemptions_through(record);  // at least the cost of the trace
    if (spent <= bound) return false;
    const uint32_t threads = slack >= 0 ? static_cast<uint32_t>(slack) + 2 : active_threads(path.trace());
    const uint32_t allowed = bound + (threads > 2 ? threads - 2 : 0);
    return spent > allowed && cost->exceeds(path.order(), record + 1, allowed);
  };
}

}  // namespace lockstep::dpor
