// The interface of a strategy: chooses the next plan from the traces so far. A strategy never touches the program.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/finding.hpp"
#include "model/claim.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "search/base/division.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

// The measures of one execution.
struct Measures {
  uint64_t fingerprint = 0;
  uint32_t preemptions = 0;
};

// Requirements and properties of a strategy.
struct Traits {
  bool preempts_at_points = true;  // false: does not preempt at plain accesses that are scheduling points
  bool relies_on_locks = false;    // covers only programs in which locks protect all shared memory
  // Draws each execution independently: new scheduling points do not invalidate earlier executions.
  bool draws = false;
};

// Progress of a search, for the user.
struct SearchStatus {
  uint64_t frontier_nodes = 0, peak_frontier_nodes = 0;
  bool out_of_memory = false;    // gave up permanently
  uint64_t estimated_total = 0;  // executions of this phase; 0: unknown
  std::string phase{};           // "1 preemption"
  // How the executions were divided, if the strategy had a choice.
  std::string contributions{};
  std::vector<std::pair<std::string, uint64_t>> by_strategy{};  // for a mixture: executions of each strategy
};

// The interface that an exploration uses. Strategies derive from Strategy below, which implements everything but the
// core. Combinations of strategies derive from this class, so that the compiler reports what they do not forward.
class Search {
 public:
  virtual ~Search() = default;

  // --- the core ---
  // The next plan, or nullopt if there is none now. Several plans may be in flight. The search has finished only if
  // there is no next plan and nothing is in flight.
  virtual std::optional<Plan> next() = 0;
  // Traces arrive in the order in which their plans were handed out.
  virtual void learn(TraceView trace) = 0;
  // Scope, bounds and numbers of what has been explored so far; `finished` once everything has been explored.
  virtual Claim claim() const = 0;
  // Saves the search and what is in flight. A resumed search returns the same plans, and first learns the traces of the
  // plans in flight.
  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;  // for a new strategy made with the same options

  // --- optional capabilities ---
  virtual Traits traits() const = 0;
  virtual SearchStatus status() const = 0;
  // Observes an execution that another strategy of the same exploration ran. This does not change the claim.
  virtual void observe_other(TraceView trace) = 0;
  // Takes back a plan that is no longer needed, to reuse its memory.
  virtual void recycle(Plan& plan) = 0;
  // Measures of the execution just learned, if they are known.
  virtual std::optional<Measures> measures() const = 0;
  // Is this execution, about to be learned, within the bounds? A sound bound may run executions beyond itself.
  virtual bool counts(TraceView trace) = 0;
  // Predicted failures that could not be confirmed: warnings.
  virtual std::vector<Finding> predictions() const = 0;
  virtual uint64_t memory_bytes() const = 0;
  // Called before the first plan: the memory limit. Caches are kept within the limit.
  virtual void limit_memory(uint64_t bytes) = 0;
  // Learning from one execution can take long and polls `must_stop`. If it returns true, the search gives up what it
  // began and claims nothing.
  virtual void stop_when(std::function<bool()> must_stop) = 0;
  // Keeps at most this many bytes in memory and moves the rest to disk. False: the search cannot.
  virtual bool spill(uint64_t bytes) = 0;
  // Divides the search into units that other processes explore. nullptr: the search only hands out single plans.
  virtual Division* division() = 0;
};

class Strategy : public Search {
 public:
  Traits traits() const override { return {}; }
  SearchStatus status() const override { return {}; }
  void observe_other(TraceView) override {}
  void recycle(Plan&) override {}
  std::optional<Measures> measures() const override { return std::nullopt; }
  bool counts(TraceView) override { return true; }
  std::vector<Finding> predictions() const override { return {}; }
  uint64_t memory_bytes() const override { return 0; }
  void limit_memory(uint64_t) override {}
  void stop_when(std::function<bool()>) override {}
  bool spill(uint64_t) override { return false; }
  Division* division() override { return nullptr; }
};

inline Claim sample() { return {.scope = Scope::Sample}; }  // the claim of a search without an end

}  // namespace lockstep
