// An analysis looks at one trace and says what is wrong with it.
#pragma once
#include <span>
#include <vector>

#include "analysis/finding.hpp"

namespace lockstep {

class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual const char* name() const = 0;
  virtual const char* summary() const = 0;  // one line for `lockstep list analyses`
  // Fills kind, message, preemptions and threads; the rest is added when the finding is confirmed.
  virtual std::optional<Finding> check(TraceView trace) = 0;
  // Everything, for analyses that can find more than one thing in a trace.
  virtual std::vector<Finding> check_all(TraceView trace) {
    std::vector<Finding> findings;
    if (std::optional<Finding> one = check(trace)) findings.push_back(std::move(*one));
    return findings;
  }
};

}  // namespace lockstep
