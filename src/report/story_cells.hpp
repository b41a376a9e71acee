// The rows of a story in words: what the terminal and the HTML page show alike.
#pragma once
#include <string>
#include <vector>

#include "analysis/finding.hpp"
#include "report/story_rows.hpp"
#include "report/terminal.hpp"
#include "report/trace_names.hpp"

namespace lockstep {

struct StoryCell {
  StoryRow row;
  std::string text, place;    // "lock queue.mutex", "queue.cpp:31"
  std::vector<Frame> frames;  // the user's, innermost first
};

// `row_limit`: about the number of rows; one more row counts those left out.
std::vector<StoryCell> story_cells(const Finding& finding, TraceNames& names, const Glyphs& glyphs, size_t row_limit);

}  // namespace lockstep
