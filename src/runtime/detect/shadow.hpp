// What is remembered about every eight bytes of the program's memory: the accesses that a later one could race with.
//
// Like FastTrack (Flanagan & Freund 2009), but by byte mask: an access is dropped once a later one that conflicts with
// at least as much is ordered after it. Most words then have one or two entries, which lie in the word's cell; more
// are chained. Entries of earlier executions are recognised by their generation, so starting afresh costs nothing.
#pragma once
#include "model/race.hpp"
#include "runtime/detect/clocks.hpp"

namespace lockstep::rt {

// One remembered access.
struct Entry {
  uint64_t where_who;  // pc, or the address of a kept call stack, in 48 bits; the thread above
  uint32_t when;
  uint16_t generation;
  uint8_t mask;   // bytes of the word
  uint8_t flags;  // RaceAccess::Flags, or kChain

  static constexpr uint8_t kChain = 0x80;  // where_who points to more entries
  ThreadId thread() const { return ThreadId(static_cast<uint16_t>(where_who >> 48)); }
  uint64_t where() const { return where_who & 0xffff'ffff'ffffull; }

  // The same access again, of all these bytes: place, thread, epoch and kind. The place matters although its absence
  // would miss no race: every racing place has to become known sooner or later, to be a scheduling point.
  bool covers(const Entry& fresh) const {
    uint64_t mine, theirs;
    __builtin_memcpy(&mine, &when, 8);
    __builtin_memcpy(&theirs, &fresh.when, 8);
    constexpr uint64_t kMaskByte = 0xffull << 48;
    return ((mine ^ theirs) & ~kMaskByte) == 0 && where_who == fresh.where_who && !(fresh.mask & ~mask);
  }
};
static_assert(sizeof(Entry) == 16);

struct Cell {
  Entry entry[2];
};

struct Chain {
  Entry entry[6];
  Chain* next;
};

class Shadow {
 public:
  void init();
  void begin();  // forgets everything
  uint16_t generation() const { return generation_; }

  Cell& cell(uintptr_t address) {
    Cell* chunk = chunks_[address >> kChunkShift & kChunkMask];
    if (UNLIKELY(!chunk)) chunk = add_chunk(address);
    return chunk[(address & (kChunkBytes - 1)) / 8];
  }
  bool touched(uintptr_t address) const { return chunks_[address >> kChunkShift & kChunkMask] != nullptr; }
  static constexpr uintptr_t kChunkShift = 16, kChunkBytes = 1ull << kChunkShift;

  Chain* new_chain() {
    Chain* chain = unused_;
    if (chain)
      unused_ = chain->next;
    else
      chain = static_cast<Chain*>(pool_.take(sizeof(Chain)));
    zero_bytes(chain, sizeof *chain);
    return chain;
  }

  void give_back(Chain* chain) {
    Chain* last = chain;
    while (last->next) last = last->next;
    last->next = unused_;
    unused_ = chain;
  }

 private:
  static constexpr uintptr_t kChunkMask = (1ull << (47 - kChunkShift)) - 1;
  Cell* add_chunk(uintptr_t address);
  Chain* unused_ = nullptr;  // of this execution
  Cell** chunks_ = nullptr;  // by address, committed as used
  Cell* arena_ = nullptr;    // chunks are cut from here
  size_t arena_left_ = 0;
  struct Arena {
    void* base;
    size_t bytes;
  } arenas_[256];
  unsigned arena_count_ = 0;
  uint16_t generation_ = 0;
  Pool pool_;  // chains
};

}  // namespace lockstep::rt
