// The bounds that a failing schedule needed (Bindal, Bansal & Lal 2013): preemptions c, variables v at which they
// happened, threads t whose order matters.
#pragma once
#include <cstdint>

#include "analysis/finding.hpp"
#include "model/schedule.hpp"
#include "model/trace.hpp"

namespace lockstep {

struct ScheduleBounds {
  uint32_t preemptions = 0;
  uint32_t variables = 0;  // a preemption counts for the variable that the preempted thread accessed last
  uint32_t threads = 0;
};

ScheduleBounds bounds_of(TraceView trace);
inline void set_bounds(Finding& finding, const ScheduleBounds& bounds) {
  finding.preemptions = bounds.preemptions;
  finding.variables = bounds.variables;
  finding.threads = bounds.threads;
}

// The object that each thread accessed last, while a trace is read.
class LastAccess {
 public:
  void step(const Step& s);
  ObjectId of(ThreadId t) const { return index_of(t) < last_.size() ? last_[index_of(t)] : kNoObject; }
  void clear() { last_.clear(); }

 private:
  std::vector<ObjectId> last_;
};

}  // namespace lockstep
