// Plans under way, oldest first, and who runs each: a unit elsewhere, or a process here. Traces of processes here come
// in the order in which the plans were given to them, which is not always the order of the plans: then they are kept.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "target/target.hpp"
#include "work/units.hpp"

namespace lockstep {

struct Dealt {
  std::shared_ptr<Batch> unit;  // null: it runs here
  uint32_t index = 0;           // in the unit
  bool is_checked = false;      // it runs in both places, and must be the same execution
  std::optional<Trace> here;    // from a process here, read before its turn
  bool runs_here() const { return (!unit || is_checked) && !here; }
};

class DealtPlans {
 public:
  using Interrupted = std::function<bool()>;
  explicit DealtPlans(Target& here) : here_(here) {}

  bool empty() const { return plans_.empty(); }
  Dealt& front() { return plans_.front(); }
  void pop_front() { plans_.pop_front(); }
  void clear() { plans_.clear(); }

  void add_here(const Plan& plan);
  void add_to(const std::shared_ptr<Batch>& unit, const Plan& plan, bool is_checked);

  // The trace of the oldest plan, which runs here.
  std::optional<TraceView> next_here(const Interrupted& interrupted);
  // False: interrupted.
  bool read_here(Dealt& dealt, const Interrupted& interrupted);
  bool repeat(Dealt& dealt);  // here, once more

  // Runs the plans of a unit here; of all that are not answered, if it is null. False: interrupted.
  bool run_here(const Batch* unit, const Interrupted& interrupted);
  // A unit for each plan of this one.
  std::vector<std::shared_ptr<Batch>> split(const Batch& unit);

 private:
  bool drain(const Interrupted& interrupted);

  Target& here_;
  std::deque<Dealt> plans_;
};

}  // namespace lockstep
