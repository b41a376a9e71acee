// The table of a story: a column per thread where the terminal is wide enough, else one column.
#pragma once
#include <string>

#include "report/story_cells.hpp"

namespace lockstep {

std::string lay_out(const StoryTable& table, const TraceNames& names, const Terminal& terminal);

}  // namespace lockstep
