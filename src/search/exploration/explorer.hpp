// The interface of an exploration: the main loop that plans, runs, checks and learns; its budget, hooks and result.
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
  // Computes Exploration::traces and ::redundant; costs 20 ns per step and 16 bytes per trace.
  bool count_traces = true;
};

enum class Verdict : uint8_t { Bug, Pass, Incomplete, Uncontrolled };

// The reason why an exploration ended.
enum class Ending : uint8_t {
  Finished,  // the search has nothing left
  FirstBug,
  Interrupted,  // Ctrl-C
  TimeBudget,
  ExecutionBudget,
  MemoryBudget,
  DefaultBudget,  // the strategy's own budget, where the user gave none
  Uncontrolled,   // the program could not be controlled
  NewPoints,      // accesses became scheduling points: the search has to start over
  Distrusted,     // the executions so far are unreliable: the search has to start over
};

struct Exploration {
  Verdict verdict = Verdict::Incomplete;
  Ending ending = Ending::Finished;
  Claim claim;
  bool refused = false;                      // nothing was run: the state given to resume_from() does not fit
  bool raced = false;                        // some execution had a data race
  uint64_t executions = 0, ended = 0;        // ended: reached the end of the program, or failed
  uint64_t diverged = 0, cut = 0, lost = 0;  // cut: too long; lost: the worker died
  uint64_t cut_for_memory = 0;               // decisions of the longest execution that was cut for lack of memory
  uint64_t estimated_executions = 0;         // estimated total of an unfinished search; 0: unknown
  uint64_t without_race_detection = 0;       // executions in which only tracked variables were checked
  // traces: executions that differ in more than the order of independent steps, including failing ones. redundant:
  // executions equivalent to an earlier one, or cut short because they would be.
  std::optional<uint64_t> traces, redundant;
  uint32_t steps_max = 0, threads_max = 0, preemptions_max = 0;
  // Executions with 0, 1, 2... preemptions; the last entry: that many or more.
  std::vector<uint64_t> by_preemptions;
  static constexpr size_t kMostPreemptions = 64;  // size of by_preemptions
  uint32_t blocking_operations = 0;               // of the first execution: steps that could have blocked
  double seconds = 0;
  uint64_t peak_frontier_nodes = 0, peak_memory_bytes = 0;
  std::string contributions;  // how the executions were divided, if the strategy had a choice
  std::vector<Finding> bugs;
  std::vector<Finding> warnings;             // distinct; failures that did not repeat are of kind Nondeterminism
  std::string uncontrolled;                  // the reason, for Verdict::Uncontrolled
  std::vector<uint64_t> uncontrolled_stack;  // its call stack, innermost first

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
  std::optional<double> seconds_left = std::nullopt;               // estimate until the search or its budget ends
  std::vector<std::pair<std::string, uint64_t>> by_strategy = {};  // for a mixture: executions of each strategy
  std::optional<uint32_t> preemptions_completed = std::nullopt;
  // For a campaign that counts behaviours.
  struct Level {
    uint32_t preemptions;
    uint64_t executions, distinct;  // with exactly this number of preemptions; behaviours new there
  };
  uint64_t executions_before = 0;            // of searches abandoned to start over
  std::vector<MachineStatus> machines = {};  // machines that help through a queue
  uint64_t units_waiting = 0;                // waiting for machines, or under way there
  std::vector<Level> levels = {};
};

class Crew;  // unit_result.hpp

struct ExplorerHooks : FindingHooks {
  // Called for every execution with data races. True: some accesses have to become scheduling points. A search has to
  // start over for that, unless it draws its executions. The more often it has started over (starts_before), the longer
  // it waits with it.
  std::function<bool(TraceView)> promote;
  unsigned starts_before = 0;
  std::function<void()> add_points;  // for a search that does not start over; called with nothing in flight
  // Starts workers that explore units of the search, with the current scheduling points; returns nullptr if that fails.
  // Called again after add_points. Empty: no workers.
  std::function<std::unique_ptr<Crew>()> start_crew;
  // Workers are started after this time, and only if executions take no longer than this on average.
  std::chrono::microseconds crew_after{50'000}, longest_for_crew{200};
  // True (once): the traces so far are unreliable, and the search has to start over.
  std::function<bool()> distrusted;
  std::function<void(const Progress&)> progress;
  // Called for every execution that reached its end and counts.
  std::function<void(uint64_t fingerprint, uint32_t preemptions, uint64_t execution, double seconds)> executed;
  // Called for every execution that ended without a failure, whether it counts or not.
  std::function<void(TraceView trace, const Plan& plan, uint64_t execution)> ended;
  // Called when every execution with at most `bound` preemptions has been run; `executions`: number since the previous
  // bound.
  std::function<void(uint32_t bound, uint64_t executions)> bound_finished;
  std::function<bool()> interrupted;                    // Ctrl-C
  std::function<bool(uint64_t executions)> has_enough;  // a bug was found, and the search for its consequences is over
  // Called from time to time, and when the exploration ends before its search does. Must call `write` once to save the
  // exploration so far.
  std::function<void(const std::function<void(StateWriter&)>& write)> save;
  // Adds what the explorer does not know: options, and facts noticed about the program.
  std::function<void(Evidence&)> complete_evidence;
  // For tests of deterministic programs: aborts if there are more behaviours than the claim counts.
  bool must_repeat = false;
};

class Explorer {
 public:
  Explorer(Search& search, Executor& executor, std::span<Analysis* const> analyses, Budget budget, bool keep_going,
           ExplorerHooks hooks);
  // run() resumes from a state that ExplorerHooks::save wrote.
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
