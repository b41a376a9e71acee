// Who a variable is, in every execution (Bindal, Bansal & Lal 2013, section 2). Globals and locals go by their address,
// which is the same in all of them. Memory of the heap moves when a thread allocates something else before it, so it
// goes by the call stack that asked for its block, how many blocks the thread had from there before (the iteration of
// the loop around it), and its place in the block. Reports, --focus-variable and the strategies that bound variables
// share this.
#pragma once
#include <compare>
#include <cstdint>
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

struct VariableId {
  uint64_t origin = 0;     // Allocation::origin; 0: not of the heap, or nobody knows where it came from
  uint32_t iteration = 0;  // Allocation::iteration
  ThreadId thread{};       // who allocated it
  uint64_t at = 0;         // offset in the block; otherwise the address
  bool on_heap() const { return origin != 0; }
  auto operator<=>(const VariableId&) const = default;
};

// The blocks of the heap that a trace tells of. Origins are call stacks only if the plan asked for them (Plan::origins,
// stacks or detail): ids of executions with and without do not compare.
class HeapBlocks {
 public:
  HeapBlocks() = default;
  explicit HeapBlocks(TraceView trace);

  const Allocation* at(uint64_t address) const;  // nullptr: in none of them
  VariableId variable(uint64_t address) const;

 private:
  std::vector<Allocation> blocks_;  // ascending
};

}  // namespace lockstep
