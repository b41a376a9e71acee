// The rows of a story in words, for the terminal and the HTML page.
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
  std::vector<Frame> frames;  // of the user's code, innermost first
  bool needed = false;        // the failure depends on the order of this step
};

struct StoryTable {
  std::vector<StoryCell> cells;
  std::map<ThreadId, uint32_t> folded;   // number of rows left out that only create or join
  uint32_t counts_folded = 0;            // and that only count the owners of a shared_ptr
  std::map<uint32_t, uint32_t> numbers;  // row number of each step; several steps may share a row
  std::map<uint32_t, uint32_t> pending;  // row number of each pending operation
};

// Of the variables in a failed assertion: "n = 2, limit = 1"; empty: it is none, or they are not known.
std::string operand_text(const Finding& finding);

// `row_limit`: about so many rows; the others become one that counts them.
StoryTable story_table(const Finding& finding, TraceNames& names, const Glyphs& glyphs, size_t row_limit,
                       Creation creation = Creation::LeftOut);

}  // namespace lockstep
