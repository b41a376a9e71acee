// What an exploration reports: one failure, with everything needed to show and repeat it.
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
  Timing,  // fails only if a thread is held up longer than --max-delay
  kCount
};
const char* name_of(FindingKind kind);  // the JSON spelling: "assertion", "data-race", ...
bool is_warning(FindingKind kind);      // reported, but no bug unless the user says so

std::string name_of(ThreadId thread);  // "main", "thread 3": for messages, until names are known

// One line of source; empty strings and 0 where unknown.
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
  // Whether that name comes from the program (a variable) rather than from its address (heap, stack).
  virtual bool is_named(ObjectId) { return true; }
};

// One step of a cycle of lock orders: `thread` took `wanted`, at `step` of the trace, while it held `held` since
// `held_step`.
struct LockNesting {
  ThreadId thread;
  ObjectId held, wanted;
  uint32_t held_step = 0, step = 0;
};

// Two conflicting steps of the failing execution, as indices into its trace: with `second` before `first`, and the rest
// as it was as far as that is possible, the failure does not show.
struct NeededOrder {
  uint32_t first = 0, second = 0;
  struct Told {
    std::string thread, operation;
    Location where;
  };
  Told told_first{}, told_second{};  // for documents, by explain_cause()
};

// Why a failure shows: the orders it depends on, found by reversing one after the other and running.
struct Cause {
  std::vector<NeededOrder> orders;  // ascending by `second`
  uint32_t reversed = 0;            // orders that were reversed and run; 0: nothing was tried
  uint32_t left_out = 0;            // conflicts that could not be reversed, or not within the budget
  Trace passing;                    // of the executions that passed the one that departs latest; empty: none passed
  uint32_t departs = 0;             // the record at which it does
  std::string text;                 // in one sentence, by explain_cause()
};

struct Finding {
  FindingKind kind = FindingKind::Assertion;
  // What the trace alone shows, where the program's own words say more (report/test_failure.hpp).
  std::optional<FindingKind> observed;
  std::string message;
  std::string test;        // the test case it was found in; empty: the program as a whole
  uint64_t execution = 0;  // 1-based number of the execution that showed it
  uint32_t preemptions = 0;
  std::optional<uint32_t> variables;
  uint32_t threads = 0;
  std::optional<DataRace> race;          // DataRace, UseAfterFree, LockDiscipline: the accesses, as found in `trace`
  std::optional<Allocation> allocation;  // Leak: the first block
  std::vector<LockNesting> lock_cycle;   // LockOrder
  std::vector<uint32_t> steps;           // ScViolation: the store and the load, as indices into `trace`
  std::string doubt;                     // why this may be no bug at all: then it is only a warning
  std::string fingerprint;               // same bug, same value, in every run
  Location location;
  Plan plan;             // repeats it
  Trace trace;           // of the confirming replay, with stacks
  Cause cause;           // see search/minimize/cause.hpp
  Observations seen;     // in a replay that stopped at every step; empty: there was none
  std::string output;    // what the program printed in that replay
  std::string schedule;  // file it was saved to
  bool stored = false;   // met by a schedule that an earlier run had saved; `execution` is that run's

  // Its plan, given as what it led to: `deltas` are those of the execution that `plan` led to.
  void write_down(Plan schedule) {
    schedule.max_steps = plan.max_steps;
    schedule.tracked = std::move(plan.tracked);
    plan = std::move(schedule);
  }
  // Takes over what an analysis says of a replay; where it was found and how to repeat it stay.
  void take_evidence(const Finding& replay);
};

}  // namespace lockstep
