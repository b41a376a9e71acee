// The identity of a variable across executions (Bindal, Bansal & Lal 2013, section 2). Globals and locals are named by
// their address, which is the same in every execution. Heap memory moves when its thread allocates something else
// before it, so it is named by the call stack that allocated its block, the number of blocks that the thread allocated
// from there before (the iteration of the loop around it), and the offset in the block. Reports, --focus-variable and
// the strategies that bound variables share this.
#pragma once
#include <compare>
#include <cstdint>
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

struct VariableId {
  uint64_t origin = 0;     // Allocation::origin; 0: not on the heap, or the origin is unknown
  uint32_t iteration = 0;  // Allocation::iteration
  ThreadId thread{};       // the thread that allocated it
  uint64_t at = 0;         // offset in the block; otherwise the address
  bool on_heap() const { return origin != 0; }
  auto operator<=>(const VariableId&) const = default;
};

// The heap blocks that a trace describes. Origins are call stacks only if the plan requests them (Plan::origins, stacks
// or detail): ids of executions with and without them are not comparable.
class HeapBlocks {
 public:
  HeapBlocks() = default;
  explicit HeapBlocks(TraceView trace);

  const Allocation* at(uint64_t address) const;  // nullptr: in none of these blocks
  VariableId variable(uint64_t address) const;

 private:
  std::vector<Allocation> blocks_;  // ascending
};

}  // namespace lockstep
