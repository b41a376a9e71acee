// Strategies random and pos: each execution is drawn independently, from its seed alone. They prove nothing and never
// end.
// * random: at every decision each alternative is equally likely. Finds shallow bugs of large programs.
// * pos: partial order sampling (Yuan, Yang & Gu 2018): random priorities of pending operations. Operations that
//   conflict with the executed one get new priorities.
#pragma once
#include <cstdint>
#include <memory>

#include "search/base/strategy.hpp"

namespace lockstep {

struct SeededOptions {
  uint64_t seed = 0;
  uint32_t max_steps = kNoStepLimit;
  bool divided = false;  // explored in units; see search/base/division.hpp
};

std::unique_ptr<Search> make_random(const SeededOptions& options);
std::unique_ptr<Search> make_pos(const SeededOptions& options);

}  // namespace lockstep
