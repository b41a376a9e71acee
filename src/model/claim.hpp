// What an exploration may say about the program, as data. A strategy sets scope, bounds and numbers.
// search/exploration/provisos.hpp adds everything else from what the executions reported; report/claim_text.hpp turns
// the claim into words.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

enum class Scope : uint8_t {
  None,         // nothing is known
  Executions,   // every execution within the bounds
  BlockOrders,  // every order of atomic blocks within the bounds
  Sample,       // some executions, drawn at random or chosen
};

struct Bounds {
  std::optional<uint32_t> preemptions, variables, threads, loop_iterations, depth, operations, delays, max_delay_ms;
  bool operator==(const Bounds&) const = default;
};

// An upper bound on the probability that a sample missed something.
struct Chance {
  enum class Of : uint8_t { BugOfDepth, OrderOfOneObject };
  Of of = Of::BugOfDepth;
  double missed = 1;
  uint32_t depth = 0, variables = 0;  // BugOfDepth; variables 0: not restricted to some
  uint64_t threads = 0, decisions = 0, objects = 0, executions = 0;
  double orders = 0;  // OrderOfOneObject: the largest number of orders of one object
};

enum class ProvisoKind : uint8_t {
  Uninstrumented,
  UncontrolledLoop,
  SpinRounds,
  Cut,
  Lost,
  Nondeterministic,
  LockMisuse,
  Criteria,
  NoSchedulingPoint,
  SyncOnly,
  MemoryOrder,
  Spurious,
  kCount
};
const char* name_of(ProvisoKind kind);  // the JSON spelling: "uninstrumented", "spin-rounds", ...

struct Proviso {
  ProvisoKind kind;
  bool hides_executions;           // true: the claim is not complete
  uint64_t count = 0;              // executions, operations, rounds; 0: does not apply
  std::vector<std::string> where;  // functions, files, places, calls
  std::string why{};               // a clause, if the kind alone does not explain it
};

enum class MemoryModel : uint8_t {
  Sc,   // covers the sequentially consistent executions
  Any,  // the program has no other executions
};

struct Claim {
  Scope scope = Scope::None;
  Bounds bounds{};                         // of what was explored, not of what the user requested
  bool finished = false;                   // everything that the strategy was to explore was explored
  bool by_trace_cost = false;              // the bound is on the minimal cost of a trace (search/dpor/trace_bound.hpp)
  bool predicts_deadlocks = false;         // exitblock-dd: lock deadlocks are covered too
  bool trusts_code = false;                // no preemption in trusted code
  std::vector<std::string> preempts_in{};  // preemption only in functions that match these globs; empty: everywhere
  double certainty = 1;                    // probability that the bounds were exhausted (thread bounds of many threads)
  std::optional<uint64_t> shared_variables{};  // set if variables are bounded
  std::optional<uint64_t> traces{};            // set if the strategy counts traces, each once
  std::optional<uint32_t>
      preemptions_completed{};     // every execution with at most N preemptions was run; also set without a bound
  uint64_t unrepeated = 0;         // executions that did not repeat what an earlier execution had done
  std::optional<Chance> chance{};  // Sample
  MemoryModel memory = MemoryModel::Sc;
  std::vector<Proviso> provisos{};
  bool ended_by_bug = false;
  bool ended_early = false;  // by a limit of the strategy, which a budget of the user replaces

  bool complete() const;  // the scope was explored, and no proviso hides executions
  bool unbounded() const { return scope == Scope::Executions && bounds == Bounds{}; }
  const Proviso* find(ProvisoKind kind) const;
};

}  // namespace lockstep
