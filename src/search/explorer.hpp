// The whole program on one screen: plan, run, check, learn.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "model/executor.hpp"
#include "search/strategy.hpp"

namespace lockstep {

struct Budget {
  std::optional<uint64_t> executions;
  std::optional<std::chrono::milliseconds> time;
  uint64_t memory_bytes = 2ull << 30;
  bool count_traces = true;  // Exploration::traces and ::redundant; costs 20 ns per step and 16 bytes per trace
};

enum class Verdict : uint8_t { Bug, Pass, Incomplete, Uncontrolled };

struct Exploration {
  Verdict verdict = Verdict::Pass;
  bool complete = false;       // the strategy finished its whole space
  bool interrupted = false;    // Ctrl-C
  bool restart = false;        // stopped by ExplorerHooks::promote
  bool refused = false;        // nothing was run: what resume_from() was given does not fit
  bool raced = false;          // some execution had a data race
  std::string stopped_by;      // "the time budget", "the first bug"...; empty when complete
  std::string guarantee;
  std::string remark;          // how the executions were spent, if the strategy had a choice
  std::optional<uint32_t> preemptions_completed;
  std::optional<BoundsCompleted> bounds_completed;
  uint64_t executions = 0, diverged = 0, cut = 0;  // cut: ended by the step limit
  uint64_t unrepeated = 0;  // executions that followed their plan and yet were not as an earlier one had been
  uint64_t estimated_executions = 0;  // of what is incomplete: how many there will be in all; 0: no telling
  uint64_t without_races = 0;  // executions in which races were not looked for, though that was asked for
  // Executions that differ in more than the order of independent steps, failing ones included; and those that were
  // equivalent to an earlier one or cut short because they would have been.
  std::optional<uint64_t> traces, redundant;
  uint32_t steps_max = 0, threads_max = 0, preemptions_max = 0;
  double seconds = 0;
  uint64_t peak_frontier_nodes = 0, peak_memory_bytes = 0;
  std::vector<Finding> bugs;
  std::vector<Finding> warnings;  // distinct; failures that did not repeat are of kind Nondeterminism
  std::string uncontrolled;    // why, for Verdict::Uncontrolled
  std::vector<uint64_t> uncontrolled_stack;  // where, innermost first
};

// Told about progress; called between executions, at most a few times a second.
struct Progress {
  uint64_t executions = 0;
  double seconds = 0;
  std::string phase;
  uint64_t frontier = 0, estimated_total = 0, bugs = 0;
};

struct ExplorerHooks {
  // Replays a fresh finding with detail, completes it (trace, output, location, fingerprint) and returns it; nullopt
  // if it did not reproduce. Called with nothing in flight.
  std::function<std::optional<Finding>(Finding)> confirm;
  // Told of every execution with data races. True: the accesses become scheduling points, so the search has to start
  // over; it stops with Exploration::restart. Whatever calls the explorer then does so.
  std::function<bool(TraceView)> promote;
  // True, once: the traces so far are not to be trusted, so the search has to start over, as above.
  std::function<bool()> distrusted;
  std::set<FindingKind> errors;  // kinds of warnings that count as bugs
  std::set<std::string> known;  // fingerprints of bugs told already
  std::function<void(const Finding&)> found;       // a new, confirmed, distinct bug
  std::function<void(const Progress&)> progress;
  // Every execution with at most `bound` preemptions was run, the last `executions` of them since the bound before.
  std::function<void(uint32_t bound, uint64_t executions)> bound_finished;
  std::function<bool()> interrupted;               // Ctrl-C
  // Now and then and when it ends before its strategy did: shall call what it is given, once, to write down the
  // exploration so far. Not called if the strategy cannot be resumed.
  std::function<void(const std::function<void(StateWriter&)>& write)> save;
};

class Explorer {
 public:
  Explorer(Strategy& strategy, Executor& executor, std::span<Analysis* const> analyses, Budget budget, bool keep_going,
           ExplorerHooks hooks);
  // run() will go on from what ExplorerHooks::save was given.
  void resume_from(std::string state) { state_ = std::move(state); }
  Exploration run();

 private:
  Strategy& strategy_;
  Executor& executor_;
  std::span<Analysis* const> analyses_;
  Budget budget_;
  bool keep_going_;
  ExplorerHooks hooks_;
  std::string state_;
};

}  // namespace lockstep
