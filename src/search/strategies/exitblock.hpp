// ExitBlock and its variants (Bruening & Chapin 2000): every order of atomic blocks, which are delimited by lock exits.
// For programs that protect every shared variable by a lock that covers all behaviours.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "search/base/strategy.hpp"

namespace lockstep {

struct ExitBlockOptions {
  bool conflicts = false;  // -rw: only orders of blocks that touch the same memory
  bool deadlocks = false;  // -dd: deadlocks predicted from blocks, each confirmed by running it
  std::optional<uint32_t> preemptions{};
  uint32_t max_steps = 1'000'000;
  bool locks_write = false;   // entering a lock counts as writing it: predicts more deadlocks, runs more
  bool run_delayed = false;   // run delayed threads where others wait for a signal: finds out whether it ever comes
  bool as_published = false;  // -rw as in the paper, for comparison: loses executions of programs with nested locks
  uint64_t alone = 128;       // executions before several are under way
};

std::unique_ptr<Search> make_exitblock(const ExitBlockOptions& options);

}  // namespace lockstep
