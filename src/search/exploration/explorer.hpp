// The main loop: plan, run, check, learn.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "model/executor.hpp"
#include "search/base/strategy.hpp"
#include "search/exploration/findings.hpp"
#include "search/exploration/provisos.hpp"

namespace lockstep {

struct Budget {
  std::optional<uint64_t> executions;
  std::optional<std::chrono::milliseconds> time;
  uint64_t memory_bytes = 2ull << 30;
  bool count_traces = true;  // Exploration::traces and ::redundant; costs 20 ns per step and 16 bytes per trace
};

enum class Verdict : uint8_t { Bug, Pass, Incomplete, Uncontrolled };

// What ended an exploration.
enum class Ending : uint8_t {
  Finished,  // the search has nothing left
  FirstBug,
  Interrupted,  // Ctrl-C
  TimeBudget,
  ExecutionBudget,
  MemoryBudget,
  DefaultBudget,  // the strategy's own, where the user gave none
  Uncontrolled,   // the program could not be controlled
  NewPoints,      // accesses became scheduling points: the search has to start over
  Distrusted,     // executions so far cannot be relied on: likewise
};

struct Exploration {
  Verdict verdict = Verdict::Incomplete;
  Ending ending = Ending::Finished;
  Claim claim;
  bool refused = false;                      // nothing was run: what resume_from() was given does not fit
  bool raced = false;                        // some execution had a data race
  uint64_t executions = 0, ended = 0;        // ended: reached the end of the program, or failed
  uint64_t diverged = 0, cut = 0, lost = 0;  // cut: too long; lost: with their worker
  uint64_t cut_for_memory = 0;               // decisions of the longest that was cut because there was no room for more
  uint64_t estimated_executions = 0;         // of what is not finished: how many there will be in all; 0: unknown
  uint64_t without_race_detection = 0;       // executions in which only tracked variables were watched
  // Executions that differ in more than the order of independent steps, failing ones included; and those that were
  // equivalent to an earlier one or cut short because they would have been.
  std::optional<uint64_t> traces, redundant;
  uint32_t steps_max = 0, threads_max = 0, preemptions_max = 0;
  std::vector<uint64_t> by_preemptions;           // executions with 0, 1, 2... preemptions; the last entry: or more
  static constexpr size_t kMostPreemptions = 64;  // entries
  uint32_t blocking_operations = 0;               // of the first execution: steps that could have had to wait
  double seconds = 0;
  uint64_t peak_frontier_nodes = 0, peak_memory_bytes = 0;
  std::string contributions;  // how the executions were spent, if the strategy had a choice
  std::vector<Finding> bugs;
  std::vector<Finding> warnings;             // distinct; failures that did not repeat are of kind Nondeterminism
  std::string uncontrolled;                  // why, for Verdict::Uncontrolled
  std::vector<uint64_t> uncontrolled_stack;  // where, innermost first

  bool complete() const { return claim.complete(); }
  bool interrupted() const { return ending == Ending::Interrupted; }
  bool starts_over() const { return ending == Ending::NewPoints || ending == Ending::Distrusted; }
};

// Reported between executions, at most a few times a second, and at the end.
struct Progress {
  uint64_t executions = 0;
  double seconds = 0;
  std::string phase;
  uint64_t frontier = 0, estimated_total = 0, bugs = 0;
  std::optional<double> seconds_left = std::nullopt;               // until the search or its budget ends; by estimate
  std::vector<std::pair<std::string, uint64_t>> by_strategy = {};  // executions of each, of a mixture
  std::optional<uint32_t> preemptions_completed = std::nullopt;
  // Of the campaign, if it counts behaviours.
  struct Level {
    uint32_t preemptions;
    uint64_t executions, distinct;  // with just so many preemptions; behaviours that were new there
  };
  uint64_t executions_before = 0;            // of searches that were given up to start over
  std::vector<MachineStatus> machines = {};  // that help by a queue
  uint64_t units_waiting = 0;                // for them, or with them
  std::vector<Level> levels = {};
};

class Crew;  // unit_result.hpp

struct ExplorerHooks : FindingHooks {
  // Given every execution with data races. True: there are accesses that shall become scheduling points. A search has
  // to start over for them, unless it draws its executions; for how often it has done so already, not before long.
  std::function<bool(TraceView)> promote;
  unsigned starts_before = 0;
  std::function<void()> add_points;  // of a search that goes on; called with nothing in flight
  // Workers to explore units of the search, with the points in use now; nullptr: they cannot be started. Called again
  // after add_points. Empty: there are none.
  std::function<std::unique_ptr<Crew>()> start_crew;
  // Executions from which on they are worth their start, and the longest execution for which they are.
  std::chrono::microseconds crew_after{50'000}, longest_for_crew{200};
  // True, once: the traces so far cannot be relied on, so the search has to start over.
  std::function<bool()> distrusted;
  std::function<void(const Progress&)> progress;
  // Every execution that reached its end and counts.
  std::function<void(uint64_t fingerprint, uint32_t preemptions, uint64_t execution, double seconds)> executed;
  // Every execution that reached its end, whatever counts.
  std::function<void(TraceView trace, const Plan& plan, uint64_t execution)> ended;
  // Every execution with at most `bound` preemptions was run, the last `executions` of them since the bound before.
  std::function<void(uint32_t bound, uint64_t executions)> bound_finished;
  std::function<bool()> interrupted;                    // Ctrl-C
  std::function<bool(uint64_t executions)> has_enough;  // a bug was found, and what it may lead to was looked for
  // Now and then and when the exploration ends before its search did: shall call what it is given, once, to write down
  // the exploration so far.
  std::function<void(const std::function<void(StateWriter&)>& write)> save;
  // Adds what the explorer cannot know: options, and what was noticed about the program.
  std::function<void(Evidence&)> complete_evidence;
  // In tests of programs that repeat themselves: more behaviours than the claim counts are a mistake, and abort.
  bool must_repeat = false;
};

class Explorer {
 public:
  Explorer(Search& search, Executor& executor, std::span<Analysis* const> analyses, Budget budget, bool keep_going,
           ExplorerHooks hooks);
  // run() will go on from what ExplorerHooks::save was given.
  void resume_from(std::string state) { state_ = std::move(state); }
  Exploration run();

 private:
  Search& search_;
  Executor& executor_;
  std::span<Analysis* const> analyses_;
  Budget budget_;
  bool keep_going_;
  ExplorerHooks hooks_;
  std::string state_;
};

}  // namespace lockstep
