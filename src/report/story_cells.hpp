// The rows of a story in words: what the terminal and the HTML page show alike.
#pragma once
#include <map>
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
  bool needed = false;        // the failure depends on when it happened
};

struct StoryTable {
  std::vector<StoryCell> cells;
  std::map<ThreadId, uint32_t> folded;   // rows that only create and join, left out
  std::map<uint32_t, uint32_t> numbers;  // of rows by step of the trace, also where several steps are one row
  std::map<uint32_t, uint32_t> pending;  // likewise by pending operation
};

// Of the variables in a failed assertion: "n = 2, limit = 1"; empty: it is none, or they are not known.
std::string operand_text(const Finding& finding);

// `row_limit`: about so many rows; the others become one that counts them.
StoryTable story_table(const Finding& finding, TraceNames& names, const Glyphs& glyphs, size_t row_limit,
                       Creation creation = Creation::LeftOut);

}  // namespace lockstep
