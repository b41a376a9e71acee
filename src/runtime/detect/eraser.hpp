// Checks lock discipline: is every variable that threads share always accessed under one lock? The state machine of
// Eraser (Savage et al. 1997) for every byte. Unlike a data race, a breach is not an error: creation, joining, barriers
// and messages order accesses too. If lock discipline holds, it is enough to explore atomic blocks.
//
// Only accesses beside other threads count, so variables that are set up before the threads start have no owner.
#pragma once
#include "model/race.hpp"
#include "runtime/base/module.hpp"
#include "runtime/detect/locksets.hpp"

namespace lockstep::rt {

class Eraser {
 public:
  void init();
  void begin(bool on);
  bool on() const { return on_; }
  void end() { on_ = false; }

  void locked(ThreadId t, const void* lock, bool write);
  void unlocked(ThreadId t, const void* lock);

  // An access after which no lock is left that was held at all accesses.
  struct Breach {
    uint64_t where;
    uintptr_t address;
    ThreadId thread;
    bool write;
    RaceAccess other;  // the last earlier access by another thread, set by the caller; its pc is 0 if unknown
  };
  // An access, only while on(). Returns the breach if it is new.
  Breach* access(ThreadId t, uintptr_t address, size_t size, bool write, uint64_t where);
  void fresh(uintptr_t address, size_t size);  // allocated: no owner

  bool broken() const { return count != 0; }
  static constexpr unsigned kMost = 16;
  Breach found[kMost]{};  // one per place
  unsigned count = 0;

 private:
  enum State : uint32_t { kVirgin, kExclusive, kShared, kSharedModified };
  // State of one byte, from the top: generation, state, then the owner (Exclusive) or the number of a set.
  using Byte = uint32_t;
  static constexpr unsigned kIdBits = 14;
  static constexpr uintptr_t kChunkShift = 16, kChunkBytes = 1ull << kChunkShift;

  Byte pack(State state, unsigned id) const { return generation_ << 16 | uint32_t{state} << kIdBits | id; }
  struct ChunkEnd;
  static ChunkEnd& end_of(Byte* chunk);
  Byte* bytes(uintptr_t address);
  Byte next(Byte now, ThreadId t, bool write);
  Breach* report(ThreadId t, uintptr_t address, bool write, uint64_t where);

  struct Held {
    uint32_t generation;
    LockSets::Id all, write;
  };
  Held& held(ThreadId t);

  bool on_ = false;
  uint32_t generation_ = 0;  // of 16 bits
  Byte** chunks_ = nullptr;  // by address; too many to iterate over
  Byte* newest_ = nullptr;   // the newest chunk, head of the list of all chunks
  Held* held_ = nullptr;
  LockSets sets_;
};
extern Eraser eraser;
extern const Module eraser_module;

}  // namespace lockstep::rt
