// A block of the program's heap, as far as a trace tells of it: whose it is and where it came from. Together with how
// many blocks came from the same place before, that is a name which does not depend on addresses (model/variable.hpp).
#pragma once
#include <cstdint>

#include "model/ids.hpp"

namespace lockstep {

struct Allocation {
  enum Flags : uint16_t {
    kFreed = 1,
    kLeaked = 2,  // nothing points to it any more
  };
  uint64_t begin, size;
  uint64_t pc;      // return address of malloc or new; 0: not known
  uint32_t stack;   // 1 + index into all_stacks(); 0: none recorded
  uint32_t count;   // how many blocks the same thread had from the same place before
  ThreadId thread;  // who allocated it
  uint16_t flags;
  uint32_t serial;     // how many blocks the same thread had before
  uint64_t origin;     // the call stack that asked for it, as a number; of plain executions only `pc`
  uint32_t iteration;  // how many blocks the same thread had from that stack before: of the loop around it
  uint32_t reserved;

  bool contains(uint64_t address) const { return address - begin < (size ? size : 1); }
};
static_assert(sizeof(Allocation) == 56, "wire format");

}  // namespace lockstep
