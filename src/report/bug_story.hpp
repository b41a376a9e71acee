// A failure for other programs: its text, and the steps that editors show one by one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/finding.hpp"

namespace lockstep {

struct FlowStep {
  uint32_t number = 0;  // number in the story; 0: the failure itself
  std::string thread, text;
  Location where = {};
  bool essential = false;  // where a thread is blocked, an access of a race, or the failure
};

struct BugStory {
  std::string text;  // as on a terminal without colours
  std::vector<FlowStep> steps;
};

// `finding` must be complete: see complete_finding(). `program`: see StoryOptions.
BugStory bug_story(const Finding& finding, Symbols& symbols, const std::string& program = {});

}  // namespace lockstep
