// Names variables of the heap by their blocks.
#include "model/variable.hpp"

#include <algorithm>

namespace lockstep {

HeapBlocks::HeapBlocks(TraceView trace) : blocks_(trace.allocations().begin(), trace.allocations().end()) {
  std::sort(blocks_.begin(), blocks_.end(), [](const Allocation& a, const Allocation& b) { return a.begin < b.begin; });
}

const Allocation* HeapBlocks::at(uint64_t address) const {
  auto after = std::upper_bound(blocks_.begin(), blocks_.end(), address,
                                [](uint64_t a, const Allocation& block) { return a < block.begin; });
  if (after == blocks_.begin() || !std::prev(after)->contains(address)) return nullptr;
  return &*std::prev(after);
}

VariableId HeapBlocks::variable(uint64_t address) const {
  const Allocation* block = at(address);
  if (block == nullptr || block->origin == 0) return {.at = address};
  return {block->origin, block->iteration, block->thread, address - block->begin};
}

}  // namespace lockstep
