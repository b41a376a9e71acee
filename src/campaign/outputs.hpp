// The outputs of executions: each distinct output once, with the schedule of the first execution that wrote it
// (--outputs).
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"

namespace lockstep {

class Outputs {
 public:
  struct Output {
    uint64_t first = 0, executions = 0;  // number of the first execution; how many executions wrote this output
    Plan plan{};
  };

  void add(TraceView trace, const Plan& plan, uint64_t execution);
  void clear() { by_hash_.clear(); }     // the search starts over
  std::vector<Output> in_order() const;  // in the order of their first executions

 private:
  std::map<uint64_t, Output> by_hash_;
};

}  // namespace lockstep
