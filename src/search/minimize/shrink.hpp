// Shrinks a failing schedule: fewest preemptions, then fewest context switches, steps and threads.
//
// A schedule is a list of segments (run this thread for N steps). Segments are joined, left out, extended or moved, and
// the program is run to see whether it still fails. Then two methods alternate on the result: a bounded search with
// fewer preemptions (CHESS), which is exact as far as it gets, and random changes followed by hill climbing.
#pragma once
#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>

#include "model/executor.hpp"

namespace lockstep {

struct ShrinkBudget {
  uint64_t executions = 10'000;
  std::chrono::milliseconds time{5000};
  std::function<bool()> stop{};  // true: the command has to end

  bool must_stop() const { return stop && stop(); }
};

// The complexity of a schedule; smaller is better.
struct Complexity {
  uint32_t preemptions = 0, switches = 0, steps = 0, threads = 0;
  uint32_t involved = 0;  // threads whose order matters, judging by this schedule
  auto operator<=>(const Complexity&) const = default;
};
Complexity complexity_of(TraceView trace);

struct Shrunk {
  Trace trace;
  Complexity complexity;
  uint64_t executions = 0;  // number of executions run
};

// Does this execution fail in the same way? Called with nothing in flight; may run executions.
using SameFailure = std::function<bool(const Trace&)>;

// `failing` is an execution that fails. nullopt: nothing simpler was found. `proved`: nothing fails with at most this
// many preemptions, so fewer are not tried.
std::optional<Shrunk> shrink(Executor& executor, TraceView failing, uint32_t max_steps, const SameFailure& same,
                             std::optional<uint32_t> proved = {}, const ShrinkBudget& budget = {});

}  // namespace lockstep
