// The story of a failure for a person at a terminal: threads as columns, the steps that matter, why it is wrong, and
// what to type next.
#pragma once
#include <string>

#include "analysis/finding.hpp"
#include "report/terminal.hpp"

namespace lockstep {

struct StoryOptions {
  Terminal terminal;
  bool replayed = false;  // by `lockstep replay`: then "at execution 118" makes no sense
  std::string program{};  // a command line to add to those that start it again; empty: the schedule is enough
  size_t row_limit = 45;
  size_t output_lines = 20;
};

// `finding` must be complete: see complete_finding().
std::string tell_story(const Finding& finding, Symbols& symbols, const StoryOptions& options);

}  // namespace lockstep
