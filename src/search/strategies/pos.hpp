// Partial order sampling (Yuan, Yang & Gu 2018): random priorities of pending operations, drawn anew by those that
// conflict with what was executed. Needs no parameters and no knowledge of the program.
#pragma once
#include <memory>

#include "search/strategies/random.hpp"

namespace lockstep {

using PosOptions = RandomOptions;

std::unique_ptr<Search> make_pos(const PosOptions& options);

}  // namespace lockstep
