// A strategy chooses the next plan from the traces so far. It never touches the program.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/finding.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "search/state.hpp"

namespace lockstep {

// Finished so far by a strategy that bounds several things at once.
struct BoundsCompleted {
  uint32_t preemptions = 0, variables = 0;
  std::optional<uint32_t> threads;  // none: any number
  uint32_t loop_iterations = 0;
};

// What is counted of every execution.
struct Measures {
  uint64_t fingerprint = 0;
  uint32_t preemptions = 0;
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  // The next plan, or nullopt if there is none now. Several plans may be under way; "nothing left" means finished
  // only when nothing is in flight.
  virtual std::optional<Plan> next() = 0;

  // A plan that is done with. Whoever makes many can use its memory for the next.
  virtual void take_back(Plan&) {}

  // Traces arrive in the order their plans were handed out.
  virtual void learn(TraceView trace) = 0;

  // An execution that another strategy of the same exploration ran, for those that can make use of it. Changes nothing
  // of what this strategy may claim.
  virtual void overhear(TraceView) {}
  // Of the execution just learned, if it happens to know them.
  virtual std::optional<Measures> measures() const { return std::nullopt; }
  // Is this execution, about to be learned, part of what is claimed? A sound bound may have to look beyond itself.
  virtual bool counts(TraceView) { return true; }

  // What is known when the search stops here, as the object of "Known: ...": "every execution with at most 1
  // preemption". Empty if nothing can be claimed yet.
  virtual std::string guarantee() const = 0;

  virtual bool complete() const = 0;                // the whole space of this strategy was explored
  virtual bool exhaustive() const { return true; }  // false: has no space to finish, runs until a budget ends it

  // Nothing is left and still not complete: why, as a clause ("2 executions cut short by the step limit").
  virtual std::string why_incomplete() const { return {}; }
  virtual uint64_t unrepeated() const { return 0; }  // executions that did not do again what an earlier one had done

  virtual std::optional<uint32_t> preemptions_completed() const { return std::nullopt; }
  virtual std::optional<BoundsCompleted> bounds_completed() const { return std::nullopt; }

  // Writing the search down and going on from there. What is in flight counts as not yet handed out.
  virtual bool resumable() const { return false; }
  virtual void save(StateWriter&) const {}
  // Executions that were given to learn() but are not in what save() writes: they will be run again.
  virtual void for_each_put_off(const std::function<void(TraceView)>&) const {}
  virtual void load(StateReader& state) { state.reject(); }  // into a fresh strategy made with the same options

  // False: plain accesses that are scheduling points do not make it switch there.
  virtual bool preempts_at_points() const { return true; }
  // True: only covers programs in which all shared memory is protected by locks.
  virtual bool relies_on_locks() const { return false; }
  // What it thinks is wrong and could not show: warnings.
  virtual std::vector<Finding> suspicions() const { return {}; }

  // For the progress line; 0 if unknown.
  virtual uint64_t frontier_nodes() const { return 0; }
  virtual uint64_t peak_frontier_nodes() const { return 0; }
  virtual uint64_t memory_bytes() const { return 0; }
  // Before the first plan: how much memory it may take. What can be forgotten without harm is kept within that.
  virtual void stay_within(uint64_t /*bytes*/) {}
  // Makes room: at most so many bytes stay in memory, the rest goes to disk. False: it cannot.
  virtual bool spill(uint64_t /*bytes*/) { return false; }
  // How the executions were spent, if there was a choice: a clause for the summary.
  virtual std::string remark() const { return {}; }
  virtual std::string phase() const { return {}; }        // "1 preemption"
  virtual uint64_t estimated_total() const { return 0; }  // executions of this phase
};

}  // namespace lockstep
