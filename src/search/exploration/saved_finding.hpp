// Findings in a saved exploration: findings from before an interruption are part of the final report.
#pragma once
#include "analysis/finding.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

// Without the program's output; with the trace unless it is very long.
void put_finding(StateWriter& out, const Finding& finding);
Finding get_finding(StateReader& in);

template <class Findings>
void put_findings(StateWriter& out, const Findings& findings) {
  out.put<uint64_t>(findings.size());
  for (const Finding& finding : findings) put_finding(out, finding);
}
inline std::vector<Finding> get_findings(StateReader& in) {
  std::vector<Finding> findings;
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) findings.push_back(get_finding(in));
  return findings;
}

}  // namespace lockstep
