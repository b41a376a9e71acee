// Two accesses to the same memory that nothing orders: the `races` section of a trace.
#pragma once
#include <cstdint>

#include "model/ids.hpp"
#include "model/misuse.hpp"

namespace lockstep {

struct RaceAccess {
  enum Flags : uint8_t {
    kWrite = 1,
    kAtomic = 2,     // the other one is not, otherwise it would be no race
    kFree = 4,       // free() or delete: a write to the whole block
    kRange = 8,      // memcpy, memset, a wide or misaligned access: one word of several
    kOrdered = 16,   // on both accesses: no race, only memory that threads share (Points::All)
    kUnlocked = 32,  // on both: no race, but no lock is held at every access (detect/eraser.hpp)
    kSync = 64,      // an operation on a lock or the like, which must not be gone
  };
  uint64_t pc;       // return address of the instrumentation's call
  uint64_t address;  // first byte both touch
  uint64_t begin;    // where the access begins
  uint32_t step;     // records of the trace before the access, as far as its own thread is concerned
  uint32_t stack;    // 1 + index into all_stacks(); 0: none recorded
  uint32_t size;     // bytes of the access within one aligned word
  ThreadId thread;
  uint8_t flags;
  Misuse misuse;  // on both accesses, which are the same one then: no race

  bool write() const { return flags & kWrite; }
  bool atomic() const { return flags & kAtomic; }
};
static_assert(sizeof(RaceAccess) == 40, "wire format");

struct DataRace {
  RaceAccess first, second;  // in the order in which they happened
  bool ordered() const { return second.flags & RaceAccess::kOrdered; }
  bool unlocked() const { return second.flags & RaceAccess::kUnlocked; }
  bool misuse() const { return second.misuse != Misuse::None; }
  bool race() const { return !ordered() && !unlocked() && !misuse(); }
};
static_assert(sizeof(DataRace) == 80, "wire format");

// Accesses that are scheduling points are one object per aligned word. Where that is not the whole truth — an access to
// several words, an atomic, which is an object of its own, in a word that is also accessed otherwise — the words that
// belong together are given one name.
struct Alias {
  uint64_t word, name;
};
constexpr uint64_t word_of(uint64_t address) { return address & ~uint64_t{7}; }

}  // namespace lockstep
