// A strategy chooses the next plan from the traces so far. It never touches the program.
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

// What is counted of every execution.
struct Measures {
  uint64_t fingerprint = 0;
  uint32_t preemptions = 0;
};

// What a strategy needs the program to be explored with.
struct Traits {
  bool preempts_at_points = true;  // false: plain accesses that are scheduling points do not make it switch there
  bool relies_on_locks = false;    // covers only programs in which locks protect all shared memory
  bool draws = false;              // each execution independently: more scheduling points make none of them void
};

// How far a search is, for people.
struct SearchStatus {
  uint64_t frontier_nodes = 0, peak_frontier_nodes = 0;
  bool out_of_memory = false;                                   // gave up for good
  uint64_t estimated_total = 0;                                 // executions of this phase; 0: unknown
  std::string phase{};                                          // "1 preemption"
  std::string contributions{};                                  // how the executions were spent, if there was a choice
  std::vector<std::pair<std::string, uint64_t>> by_strategy{};  // executions of each, of a mixture
};

// Everything an exploration asks of a search. Strategies derive from Strategy below, which implements all but the core;
// what combines strategies derives from this, so that the compiler names what it has not combined.
class Search {
 public:
  virtual ~Search() = default;

  // --- the core ---
  // The next plan, or nullopt if there is none now. Several plans may be in flight; "nothing left" means finished only
  // when nothing is in flight.
  virtual std::optional<Plan> next() = 0;
  // Traces arrive in the order their plans were handed out.
  virtual void learn(TraceView trace) = 0;
  // Scope, bounds and numbers of what has been explored so far; `finished` once all of it is.
  virtual Claim claim() const = 0;
  // Writes the search down, with what is in flight: whoever goes on from it gets the same plans, and begins with
  // learning the traces that are still to come.
  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;  // into a fresh strategy made with the same options

  // --- optional capabilities ---
  virtual Traits traits() const = 0;
  virtual SearchStatus status() const = 0;
  // An execution that another strategy of the same exploration ran. Changes nothing of what this one may claim.
  virtual void observe_other(TraceView trace) = 0;
  // A plan that is done with: its memory can be used for the next.
  virtual void recycle(Plan& plan) = 0;
  // Of the execution just learned, if it happens to know them.
  virtual std::optional<Measures> measures() const = 0;
  // Is this execution, about to be learned, within the bounds? A sound bound may have to look beyond itself.
  virtual bool counts(TraceView trace) = 0;
  // Failures it predicts and could not show: warnings.
  virtual std::vector<Finding> predictions() const = 0;
  virtual uint64_t memory_bytes() const = 0;
  // Before the first plan: how much memory it may take. What can be forgotten without harm is kept within that.
  virtual void limit_memory(uint64_t bytes) = 0;
  // Asked while it learns from one execution, which may take long. True: it gives up what it began, and claims nothing.
  virtual void stop_when(std::function<bool()> must_stop) = 0;
  // Keeps at most so many bytes in memory and moves the rest to disk. False: it cannot.
  virtual bool spill(uint64_t bytes) = 0;
  // How others can take a part in it; nullptr: only by running single plans.
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

inline Claim sample() { return {.scope = Scope::Sample}; }  // of what has no end to reach

}  // namespace lockstep
