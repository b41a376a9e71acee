// Shadow memory: for every eight bytes of the program's memory, the accesses that a later one could race with.
//
// Like FastTrack (Flanagan & Freund 2009), but by byte mask: an access is dropped when a later one is ordered after it
// and conflicts with at least the same accesses. Most words then have one or two entries, which fit into the word's
// cell; further entries are chained. A generation number identifies entries of earlier executions, so starting afresh
// is free.
#pragma once
#include "model/race.hpp"
#include "runtime/detect/clocks.hpp"

namespace lockstep::rt {

// One remembered access, in two words, which are built and compared as a whole for speed.
struct Entry {
  uint64_t where_who = 0;  // low 48 bits: pc, or the address of a call stack; high 16 bits: thread
  uint64_t rest = 0;       // from the low end: time (32 bits), generation (16), bytes of the word (8), flags (8)

  // A flag besides RaceAccess::Flags: where_who points to further entries, and when() is their number.
  static constexpr uint8_t kChain = 0x80;
  static constexpr uint64_t kWhenBits = 0xffff'ffffull, kGenerationBits = 0xffffull << 32, kMaskBits = 0xffull << 48;

  Entry() = default;
  Entry(uint64_t where, ThreadId who, uint32_t when, uint16_t generation, uint8_t mask, uint8_t flags)
      : where_who(where | static_cast<uint64_t>(index_of(who)) << 48),
        rest(when | static_cast<uint64_t>(generation) << 32 | static_cast<uint64_t>(mask) << 48 |
             static_cast<uint64_t>(flags) << 56) {}

  uint64_t where() const { return where_who & 0xffff'ffff'ffffull; }
  ThreadId thread() const { return ThreadId(static_cast<uint16_t>(where_who >> 48)); }
  uint32_t when() const { return static_cast<uint32_t>(rest); }
  uint16_t generation() const { return static_cast<uint16_t>(rest >> 32); }
  uint8_t mask() const { return static_cast<uint8_t>(rest >> 48); }
  uint8_t flags() const { return static_cast<uint8_t>(rest >> 56); }
  void forget() { rest = 0; }
  void set_when(uint32_t when) { rest = (rest & ~kWhenBits) | when; }
  void add_bytes(const Entry& other) { rest |= other.rest & kMaskBits; }
  void remove_bytes(const Entry& other) {
    rest &= ~(other.rest & kMaskBits);
    if (!mask()) forget();
  }

  bool operator==(const Entry&) const = default;
  bool of(uint16_t execution) const { return generation() == execution; }
  bool same_thread(const Entry& other) const { return (where_who ^ other.where_who) >> 48 == 0; }
  // An equal access that includes all these bytes: same place, thread, epoch and kind. No race would be missed without
  // comparing the place, but every racing place must be found eventually, to become a scheduling point.
  bool covers(const Entry& fresh) const {
    return where_who == fresh.where_who && ((rest ^ fresh.rest) & ~kMaskBits) == 0 && !(fresh.rest & ~rest & kMaskBits);
  }
  // The same kind of access to the same bytes in this execution, by the same thread, at the same time or later.
  bool repeated_by(const Entry& fresh) const { return same_but_for_thread(fresh) && same_thread(fresh); }
  bool same_but_for_thread(const Entry& fresh) const { return (rest ^ fresh.rest) >> 32 == 0; }
  // By the same thread in the same epoch, but of another kind.
  bool in_turn_with(const Entry& fresh) const {
    return ((rest ^ fresh.rest) & (kWhenBits | kGenerationBits)) == 0 && flags() != fresh.flags() && same_thread(fresh);
  }
  // Shares no byte with `fresh`. A chain counts as all bytes.
  bool apart_from(const Entry& fresh) const { return (rest & fresh.rest & kMaskBits) == 0; }
  bool within(const Entry& fresh) const { return (rest & ~fresh.rest & kMaskBits) == 0; }
  // In this execution, of the same bytes, and neither a chain nor a free.
  bool alike(const Entry& fresh) const {
    return ((rest ^ fresh.rest) & (kGenerationBits | kMaskBits)) == 0 && !(flags() & (kChain | RaceAccess::kFree));
  }
};
static_assert(sizeof(Entry) == 16);

struct Cell {
  Entry entry[2];
};

struct Chain {
  static constexpr unsigned kEntries = 6;
  Entry entry[kEntries];
  Chain* next;
};

// Iterates over the entries of a chain, which has no gaps.
class ChainCursor {
 public:
  explicit ChainCursor(Chain* chain) : chain_(chain) {}
  Entry& entry() { return chain_->entry[index_]; }
  void advance() {
    if (++index_ < Chain::kEntries || !chain_->next) return;
    chain_ = chain_->next;
    index_ = 0;
  }
  template <class F>
  void extend(F&& new_chain) {  // makes room for one more entry, if there is none
    if (index_ < Chain::kEntries) return;
    chain_ = chain_->next = new_chain();
    index_ = 0;
  }

 private:
  Chain* chain_;
  unsigned index_ = 0;
};

class Shadow {
 public:
  void init();
  void begin();  // drops all entries
  uint16_t generation() const { return generation_; }

  Cell& cell(uintptr_t address) {
    Cell* known = known_cell(address);
    return LIKELY(known != nullptr) ? *known : add_chunk(address)[(address & (kChunkBytes - 1)) / 8];
  }
  Cell* known_cell(uintptr_t address) const {  // nullptr: nothing near it has been accessed yet
    Cell* chunk = chunks_[address >> kChunkShift & kChunkMask];
    return LIKELY(chunk != nullptr) ? chunk + (address & (kChunkBytes - 1)) / 8 : nullptr;
  }
  bool touched(uintptr_t address) const { return chunks_[address >> kChunkShift & kChunkMask] != nullptr; }
  static constexpr uintptr_t kChunkShift = 16, kChunkBytes = 1ull << kChunkShift;

  Chain* new_chain() {
    Chain* chain = unused_;
    if (chain)
      unused_ = chain->next;
    else
      chain = static_cast<Chain*>(pool_.take(sizeof(Chain)));
    chain->next = nullptr;
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
  Chain* unused_ = nullptr;  // list of free chains of this execution
  Cell** chunks_ = nullptr;  // by address, committed as used
  Cell* arena_ = nullptr;    // memory for chunks
  size_t arena_left_ = 0;
  struct Arena {
    void* base;
    size_t bytes;
  } arenas_[256]{};
  unsigned arena_count_ = 0;
  uint16_t generation_ = 0;
  Pool pool_;  // memory for chains
};

// Visits every entry of a cell that belongs to this execution.
template <class F>
inline void for_each_entry(Cell& cell, uint16_t generation, F&& visit) {
  for (Entry& e : cell.entry) {
    if (!e.of(generation)) continue;
    if (LIKELY(!(e.flags() & Entry::kChain))) {
      visit(e);
      continue;
    }
    ChainCursor at(reinterpret_cast<Chain*>(e.where_who));
    for (uint32_t left = e.when(); left; --left, at.advance()) visit(at.entry());
  }
}

}  // namespace lockstep::rt
