// A finding: one failure that an exploration reports, with everything needed to show and repeat it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/observation.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"

namespace lockstep {

enum class FindingKind : uint8_t {
  Assertion,
  Deadlock,
  Livelock,
  DataRace,
  Crash,
  Abort,
  Exception,
  UseAfterFree,
  DoubleFree,
  LockMisuse,
  LockOrder,
  LockDiscipline,
  ScViolation,
  Leak,
  NotLinearizable,
  ExitCode,
  Nondeterminism,
  Timing,  // fails only if a thread is delayed longer than --max-delay
  kCount
};
const char* name_of(FindingKind kind);  // the JSON spelling: "assertion", "data-race", ...
bool is_warning(FindingKind kind);      // reported, but not a bug unless the user chooses so

std::string name_of(ThreadId thread);  // "main", "thread 3": for messages while names are not known

// One line of source; empty strings and 0 if unknown.
struct Location {
  std::string function;
  std::string file;
  int line = 0;
};

struct Frame {
  uint64_t pc = 0;
  Location where;
  std::string module;  // file name of the executable or library
};

// Turns code addresses of the program under test into source locations. Implemented over libdw in target/.
class Symbols {
 public:
  virtual ~Symbols() = default;
  // Frames of one return address, innermost inlined function first; never empty.
  virtual std::vector<Frame> resolve(uint64_t return_address) = 0;
  // "queue.head", "accounts+16", "heap block of main #3": a name for an address; never empty.
  virtual std::string describe(ObjectId object) = 0;
  // True if the name comes from the program (a variable), false if from the address (heap, stack).
  virtual bool is_named(ObjectId) { return true; }
};

// One edge of a cycle of lock orders: `thread` took `wanted` at `step` of the trace while it held `held`, taken at
// `held_step`.
struct LockNesting {
  ThreadId thread;
  ObjectId held, wanted;
  uint32_t held_step = 0, step = 0;
};

// Two conflicting steps of the failing execution, as indices into its trace. The failure does not show if `second`
// comes before `first` and the rest stays the same as far as possible.
struct NeededOrder {
  uint32_t first = 0, second = 0;
  struct Told {
    std::string thread, operation;
    Location where;
  };
  Told told_first{}, told_second{};  // set by explain_cause(), for documents
};

// Why a failure shows: the orders it depends on. Each order of two conflicting steps is reversed and run.
struct Cause {
  std::vector<NeededOrder> orders;  // ascending by `second`
  bool searched = false;            // the conflicts of the execution are known
  uint32_t reversed = 0;            // orders that were reversed and run
  uint32_t left_out = 0;            // conflicts that could not be reversed, or for which the budget did not suffice
  // Of the executions that passed the one that departs latest; empty: none passed. Without `orders`: another thread
  // goes on where the failing execution switches.
  Trace passing;
  uint32_t departs = 0;   // the record at which `passing` departs
  std::string unordered;  // of a race: why nothing orders the accesses; by explain_cause()
  std::string text;       // all in words, by explain_cause()
};

struct Finding {
  FindingKind kind = FindingKind::Assertion;
  // The kind as the trace alone shows it, where the program's own message is more specific (report/test_failure.hpp).
  std::optional<FindingKind> observed;
  std::string message;
  std::string test;        // the test case of the finding; empty: the program as a whole
  uint64_t execution = 0;  // 1-based number of the execution
  uint32_t preemptions = 0;
  std::optional<uint32_t> variables;
  uint32_t threads = 0;
  std::optional<DataRace> race;          // DataRace, UseAfterFree, LockDiscipline: the accesses, as found in `trace`
  std::optional<Allocation> allocation;  // Leak: the first block
  std::vector<LockNesting> lock_cycle;   // LockOrder
  std::vector<uint32_t> steps;           // ScViolation: the store and the load, as indices into `trace`
  std::string doubt;                     // why this may not be a bug; then the finding is only a warning
  std::string fingerprint;               // the same for the same bug in every run
  Location location;
  Plan plan;             // repeats the failure
  Trace trace;           // of the confirming replay, with stacks
  Cause cause;           // see search/minimize/cause.hpp
  Observations seen;     // from a replay that stopped at every step; empty: no such replay
  std::string output;    // of the program in that replay
  std::string schedule;  // file it was saved to
  bool stored = false;   // found by a schedule that an earlier run had saved; `execution` is that of the earlier run

  // Replaces the plan by `schedule`: the deltas of the execution that the plan led to. Keeps the limits.
  void write_down(Plan schedule) {
    schedule.max_steps = plan.max_steps;
    schedule.tracked = std::move(plan.tracked);
    plan = std::move(schedule);
  }
  // Replaces what an analysis found by the result of a replay. Where it was found and how to repeat it do not change.
  void take_evidence(const Finding& replay);
};

}  // namespace lockstep
