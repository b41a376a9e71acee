// The table of a story: a column for each thread if the terminal is wide enough, otherwise one column.
#pragma once
#include <string>

#include "report/story_cells.hpp"

namespace lockstep {

// Colours of a story, for Terminal::paint.
inline constexpr const char* kRed = "1;31";
inline constexpr const char* kYellow = "33";
inline constexpr const char* kBold = "1";
inline constexpr const char* kDim = "2";

std::string lay_out(const StoryTable& table, const TraceNames& names, const Terminal& terminal);

}  // namespace lockstep
