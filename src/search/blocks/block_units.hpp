// The blocks of an execution, and which of them are one for the search. The runtime ends a block at every lock exit.
// Two blocks of a thread that follow each other are one unit if the first ends where nobody else could have a reason to
// go first: at the exit of a lock that no other thread uses. Such an exit can be moved past every operation of others.
#pragma once
#include <span>
#include <vector>

#include "model/blocks.hpp"
#include "search/blocks/lock_users.hpp"

namespace lockstep {

struct Block {
  BlockRecord record;
  uint32_t end = 0;  // where the next block begins
  std::vector<Touched> touched{};
};

std::vector<Block> blocks_of(TraceView trace);

// How many of these blocks, from the first one, are one unit. The last one never is given up.
size_t unit_size(TraceView trace, std::span<const Block> blocks, LockUsers& users);

// These blocks as one.
Block joined(std::span<const Block> blocks);

}  // namespace lockstep
