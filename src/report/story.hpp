// The story of a failure for a terminal: threads as columns, the important steps, what is wrong, and what to type next.
#pragma once
#include <string>

#include "analysis/finding.hpp"
#include "report/terminal.hpp"

namespace lockstep {

struct StoryOptions {
  Terminal terminal;
  bool replayed = false;  // by `lockstep replay`: then the story names no execution number
  std::string program{};  // command line of the program, added to suggested commands; empty: the schedule names it
  size_t row_limit = 45;
  size_t output_lines = 20;
};

// `finding` must be complete: see complete_finding().
std::string tell_story(const Finding& finding, Symbols& symbols, const StoryOptions& options);

}  // namespace lockstep
