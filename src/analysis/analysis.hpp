// The interface of an analysis: looks at one trace and reports what is wrong with it.
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
  // Fills kind, message, preemptions and threads; confirming the finding adds the rest. An analysis implements check(),
  // or check_all() if it can find several things in a trace.
  virtual std::optional<Finding> check(TraceView trace) {
    std::vector<Finding> all = check_all(trace);
    return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
  }
  virtual std::vector<Finding> check_all(TraceView trace) {
    std::vector<Finding> findings;
    if (std::optional<Finding> one = check(trace)) findings.push_back(std::move(*one));
    return findings;
  }
};

}  // namespace lockstep
