// The options of a campaign: everything an exploration depends on, for the command line and lockstep::explore().
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/finding.hpp"
#include "model/channel.hpp"
#include "search/exploration/explorer.hpp"
#include "search/strategies/strategy_registry.hpp"
#include "target/instrumentation.hpp"
#include "target/standard_input.hpp"

namespace lockstep {

// Which schedules that earlier runs left in `out` are replayed first. Auto: schedules whose bug the search would not
// find again soon, because it took long to find or belongs to another build.
enum class Stored { Auto, Replay, Ignore };

struct CampaignOptions {
  std::vector<std::string> command;  // the program and its arguments
  StrategyOptions strategy;
  Points points = Points::Auto;
  Timeouts timeouts = Timeouts::Cost;
  std::optional<uint32_t> spin_rounds;  // none: kDefaultSpinRounds
  uint32_t max_delay_ms = kDefaultMaxDelay;
  std::optional<uint32_t> spurious;  // none: 0, and auto tries 1 once the rest is explored
  uint32_t prime = 0;
  uint8_t expected_exit = 0;                    // of a run of the program without a bug
  bool races = true;                            // a data race is a bug
  bool lock_discipline = false, leaks = false;  // report these as well
  std::string suppressions;                     // file; empty: none
  std::optional<uint64_t> executions;
  std::optional<std::chrono::milliseconds> time;
  std::chrono::steady_clock::time_point began =
      std::chrono::steady_clock::now();                         // start of the command; time limits count from here
  std::optional<std::chrono::steady_clock::time_point> latest;  // deadline for waiting; none: a little after `time`
  uint32_t steps = kNoStepLimit;
  uint64_t memory_budget = 2ull << 30;
  std::optional<unsigned> workers;  // none: one per core; 0: only workers of the queue
  std::string queue;                // address of a queue whose workers help; empty: none
  Isolation isolation = Isolation::Auto;
  Backend backend = Backend::Auto;
  CheckpointUse checkpoints = CheckpointUse::Worthwhile;
  bool keep_going = false;
  bool no_shrink = false;
  Stored stored = Stored::Auto;
  std::vector<std::string> focus_functions, focus_variables, trusted, preempt_in;  // globs
  bool has_execution_functions = false;  // the caller of lockstep::explore() has passed functions instead
  std::string before_each, after_each;   // commands around every execution; empty: none
  std::string outputs;                   // file for the distinct outputs; empty: none
  std::optional<std::string> expected_output;
  std::string out;   // folder for schedules and the saved state
  std::string test;  // the test case to explore; empty: the program as a whole
  uint32_t explore_call =
      0;                  // explore the body of this call of lockstep::explore() in the program; 0: the program itself
  bool coverage = false;  // count distinct behaviours while it runs
  std::set<FindingKind> errors;                           // warnings that count as bugs
  std::shared_ptr<const ProgramInput> input;              // standard input of the program
  std::shared_ptr<InstrumentationCache> instrumentation;  // shared by explorations of the same program
  // How the exploration was requested, saved with it; empty: it cannot be resumed.
  std::vector<std::string> arguments;  // from "run" on
  std::string environment;             // LOCKSTEP_OPTIONS

  std::string strategy_name() const { return strategy.spec.substr(0, strategy.spec.find(':')); }
  bool compares_output() const { return !outputs.empty() || expected_output; }
  bool runs_commands() const { return !before_each.empty() || !after_each.empty() || has_execution_functions; }
  bool looks_for_races() const;  // in instrumented code
};

// Budgets that the user did not give: auto 60 s, random strategies 100,000 executions, exhaustive ones none.
Budget budget_of(const CampaignOptions& options, const Search& search);

}  // namespace lockstep
