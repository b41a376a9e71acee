// A block of the program's heap as a trace describes it: its owner and where it was allocated. The place and the number
// of earlier blocks from there form a name that does not depend on addresses (model/variable.hpp).
#pragma once
#include <cstdint>

#include "model/ids.hpp"

namespace lockstep {

struct Allocation {
  enum Flags : uint16_t {
    kFreed = 1,
    kLeaked = 2,  // nothing points to the block
  };
  uint64_t begin, size;
  uint64_t pc;      // return address of malloc or new; 0: not known
  uint32_t stack;   // 1 + index into all_stacks(); 0: none recorded
  uint32_t count;   // blocks that this thread allocated at this place before
  ThreadId thread;  // the thread that allocated it
  uint16_t flags;
  uint32_t serial;     // blocks that this thread allocated before
  uint64_t origin;     // hash of the call stack that allocated it; in plain executions only `pc`
  uint32_t iteration;  // blocks that this thread allocated with this call stack before (the loop iteration)
  uint32_t reserved;

  bool contains(uint64_t address) const { return address - begin < (size ? size : 1); }
};
static_assert(sizeof(Allocation) == 56, "wire format");

}  // namespace lockstep
