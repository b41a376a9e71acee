// The blocks of an execution, and which of them form one unit of the search. The runtime ends a block at every lock
// exit. Two consecutive blocks of a thread form one unit if the first ends where no other thread has a reason to run:
// at the exit of a lock that no other thread uses. Such an exit can be moved past every operation of other threads.
#pragma once
#include <span>
#include <vector>

#include "model/blocks.hpp"
#include "search/blocks/lock_users.hpp"

namespace lockstep {

struct Block {
  BlockRecord record;
  uint32_t end = 0;  // start of the next block
  std::vector<Touched> touched{};
};

std::vector<Block> blocks_of(TraceView trace);

// The number of blocks, from the first one on, that form one unit. A block that was given up is never joined.
size_t unit_size(TraceView trace, std::span<const Block> blocks, LockUsers& users);

// Joins the blocks into one.
Block joined(std::span<const Block> blocks);

}  // namespace lockstep
