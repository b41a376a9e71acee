// The analysis of output: reports executions whose output differs from the expected one (--expect-output).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "analysis/analysis.hpp"

namespace lockstep {

uint64_t hash_of_output(std::string_view text);  // as TraceHeader::output

// "line 3 is 'b', expected 'a'".
std::string output_difference(std::string_view output, std::string_view expected);

class OutputAnalysis final : public Analysis {
 public:
  const char* name() const override { return "output"; }
  const char* summary() const override { return "executions whose output differs from --expect-output"; }
  std::optional<Finding> check(TraceView trace) override;

  std::optional<std::string> expected;  // none: every output is correct
};

// True for a finding of this analysis: an assertion that did not end the execution.
inline bool is_unexpected_output(const Finding& finding, TraceView trace) {
  return finding.kind == FindingKind::Assertion && trace.outcome() == Outcome::Ok;
}

}  // namespace lockstep
