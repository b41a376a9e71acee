#include "search/strategies/exitblock.hpp"

#include "search/blocks/block_search.hpp"

namespace lockstep {

std::unique_ptr<Search> make_exitblock(const ExitBlockOptions& options) {
  BlockSearchParts parts;
  parts.preemptions = options.preemptions;
  parts.max_steps = options.max_steps;
  parts.conflicts = options.conflicts;
  parts.deadlocks = options.deadlocks;
  parts.locks_write = options.locks_write;
  parts.run_delayed = options.run_delayed;
  parts.forget_locks = options.as_published;
  parts.alone = options.alone;
  return std::make_unique<BlockSearch>(parts);
}

}  // namespace lockstep
