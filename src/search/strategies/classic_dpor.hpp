// Dynamic partial order reduction as first published (Flanagan & Godefroid 2005), with or without sleep sets: every
// trace, many of them several times. Here for comparison.
#pragma once
#include <cstdint>
#include <memory>

#include "search/base/strategy.hpp"

namespace lockstep {

struct DporOptions {
  uint32_t max_steps = kNoStepLimit;
  bool sleep_sets = false;
  // Wrong, and here to show that tests notice: the thread that the rule picks need not be an initial of what is to be
  // shown; if it happens to be asleep, nobody shows it, and traces get lost.
  bool picks_sleepers = false;
};

std::unique_ptr<Search> make_dpor(const DporOptions& options);

}  // namespace lockstep
