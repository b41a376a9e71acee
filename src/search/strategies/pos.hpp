// Partial order sampling (Yuan, Yang & Gu 2018): random priorities of pending operations, drawn anew by those that
// conflict with what was executed. Needs no parameters and no knowledge of the program.
#pragma once
#include <cstdint>
#include <memory>

#include "search/strategy.hpp"

namespace lockstep {

struct PosOptions {
  uint64_t seed = 0;
  uint32_t max_steps = 1'000'000;
};

std::unique_ptr<Strategy> make_pos(const PosOptions& options);

}  // namespace lockstep
