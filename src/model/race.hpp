// Data races: two accesses to the same memory that nothing orders; the `races` section of a trace.
#pragma once
#include <cstdint>

#include "model/ids.hpp"
#include "model/misuse.hpp"

namespace lockstep {

struct RaceAccess {
  enum Flags : uint8_t {
    kWrite = 1,
    kAtomic = 2,     // the other access is not atomic, otherwise there is no race
    kFree = 4,       // free() or delete: a write to the whole block
    kRange = 8,      // memcpy, memset, a wide or misaligned access: this is one word of several
    kOrdered = 16,   // on both accesses: no race, but memory that threads share (Points::All)
    kUnlocked = 32,  // on both accesses: no race, but no lock is held at every access (detect/eraser.hpp)
    kSync = 64,      // an operation on a lock or similar object, which must still exist
  };
  uint64_t pc;       // return address of the call into the instrumentation
  uint64_t address;  // first byte that both accesses touch
  uint64_t begin;    // where the access begins
  uint32_t step;     // records in the trace before the access, as far as its own thread is concerned
  uint32_t stack;    // 1 + index into all_stacks(); 0: none recorded
  uint32_t size;     // bytes of the access within one aligned word
  ThreadId thread;
  uint8_t flags;
  Misuse misuse;  // set on both accesses, which are then the same: no race

  bool write() const { return flags & kWrite; }
  bool atomic() const { return flags & kAtomic; }
};
static_assert(sizeof(RaceAccess) == 40, "wire format");

struct DataRace {
  RaceAccess first, second;  // in execution order
  bool ordered() const { return second.flags & RaceAccess::kOrdered; }
  bool unlocked() const { return second.flags & RaceAccess::kUnlocked; }
  bool misuse() const { return second.misuse != Misuse::None; }
  bool race() const { return !ordered() && !unlocked() && !misuse(); }
};
static_assert(sizeof(DataRace) == 80, "wire format");

// Accesses that are scheduling points use one object per aligned word. This is not enough for an access to several
// words, or for an atomic (an object of its own) in a word that is also accessed otherwise. Such words get one common
// name.
struct Alias {
  uint64_t word, name;
};
constexpr uint64_t word_of(uint64_t address) { return address & ~uint64_t{7}; }

}  // namespace lockstep
