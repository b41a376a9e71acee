// Two accesses to the same memory that nothing orders: the `races` section of a trace.
#pragma once
#include <cstdint>

#include "model/ids.hpp"

namespace lockstep {

struct RaceAccess {
  enum Flags : uint8_t {
    kWrite = 1,
    kAtomic = 2,  // the other one is not, otherwise it would be no race
    kFree = 4,    // free() or delete: a write to the whole block
    kRange = 8,   // memcpy, memset...: one of many bytes
    kOrdered = 16,  // on both accesses: no race, only memory that threads share (Points::All)
  };
  uint64_t pc;       // return address of the instrumentation's call
  uint64_t address;  // first byte both touch
  uint32_t step;     // records of the trace before the access, as far as its own thread is concerned
  uint32_t stack;    // 1 + index into all_stacks(); 0: none recorded
  uint32_t size;     // bytes of the access within one aligned word
  ThreadId thread;
  uint8_t flags;
  uint8_t reserved;

  bool write() const { return flags & kWrite; }
  bool atomic() const { return flags & kAtomic; }
};
static_assert(sizeof(RaceAccess) == 32, "wire format");

struct DataRace {
  RaceAccess first, second;  // in the order in which they happened
  bool ordered() const { return second.flags & RaceAccess::kOrdered; }
};
static_assert(sizeof(DataRace) == 64, "wire format");

}  // namespace lockstep
