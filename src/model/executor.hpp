// Runs plans: the one interface between a search and the program. The real executor drives worker processes over shared
// memory; tests use a fake that interprets small programs.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"

namespace lockstep {

// Plain accesses that are scheduling points, and how they depend on each other.
struct PromotedPoints {
  std::vector<uint64_t> places;  // by return address
  std::vector<Alias> aliases;
};

// The workers of one machine that takes part through a queue.
struct MachineStatus {
  std::string name;
  unsigned workers = 0;
  uint64_t executions = 0;
  double busy = 0, seconds = 0;  // summed over its workers: time with units; time since they joined
};

inline double per_second(const MachineStatus& machine) {  // over the time for which its workers were connected
  return machine.seconds > 0 ? static_cast<double>(machine.executions) * machine.workers / machine.seconds : 0;
}
inline double idle_share(const MachineStatus& machine) {
  return machine.seconds > 0 ? std::clamp(1 - machine.busy / machine.seconds, 0.0, 1.0) : 0;
}

class Executor {
 public:
  virtual ~Executor() = default;

  // How many plans may be in flight. Constant for one exploration: a search keeps exactly this many under way as long
  // as it has plans, so that the order of executions never depends on timing.
  virtual size_t window() const = 0;

  virtual void submit(const Plan& plan) = 0;

  // The trace of the oldest plan in flight, whatever the workers' order. Valid until the next call of next(). nullopt:
  // `interrupted` returned true during the wait.
  virtual std::optional<TraceView> next(const std::function<bool()>& interrupted) = 0;

  // Drops the plans in flight; the next submit() starts afresh.
  virtual void cancel() = 0;
};

}  // namespace lockstep
