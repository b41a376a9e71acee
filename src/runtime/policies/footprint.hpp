// The memory that each thread has touched since its current atomic block began: a hash table over (thread, word).
//
// When a block starts, its thread gets a new number; entries with an old number are free. Reuse of a free entry in the
// middle of a probe sequence can enter a word twice, which only costs space.
#pragma once
#include "model/trace.hpp"

namespace lockstep::rt {

class Footprint {
 public:
  using Pages = void* (*)(size_t bytes);  // allocates zeroed memory

  void init(Pages pages) {
    if (slots_) return;
    slots_ = static_cast<Slot*>(pages(sizeof(Slot) * kSlots));
    thread_ = static_cast<PerThread*>(pages(sizeof(PerThread) * kMaxThreads));
  }
  void begin() {  // starts an execution: all numbers so far are old
    first_serial_ = serial_ + 1;
    if (serial_ > 0xf000'0000) forget_all();
  }
  void start(ThreadId t) { thread_[index_of(t)] = {++serial_, kNone, 0, false}; }

  void add(ThreadId t, uint64_t word, uint8_t bytes, bool write) {
    PerThread& mine = thread_[index_of(t)];
    if (mine.serial < first_serial_) start(t);
    if (mine.everything) return;
    uint64_t at = place(word, mine.serial);
    for (unsigned probe = 0; probe < kProbes; ++probe, at = (at + 1) % kSlots) {
      Slot& slot = slots_[at];
      if (slot.serial != mine.serial || slot.touched.word != word) {
        if (slot.serial >= first_serial_ && slot.serial == thread_[slot.thread].serial) continue;  // another thread's
        if (mine.count == kMost) break;
        slot = {{word, 0, 0, 0, {}}, mine.serial, mine.head, static_cast<uint16_t>(index_of(t))};
        mine.head = static_cast<uint32_t>(at);
        ++mine.count;
      }
      slot.touched.starts |= static_cast<uint8_t>(bytes & -bytes);
      (write ? slot.touched.writes : slot.touched.reads) |= bytes;
      return;
    }
    mine.everything = true;
  }
  void add_range(ThreadId t, uint64_t address, uint64_t size, bool write) {
    while (size) {
      const unsigned offset = address & 7;
      const unsigned part = size < 8 - offset ? static_cast<unsigned>(size) : 8 - offset;
      add(t, address - offset, static_cast<uint8_t>(((1u << part) - 1) << offset), write);
      address += part;
      size -= part;
    }
  }

  Touched of(ThreadId t, uint64_t word) const {  // all entries of the word combined
    Touched all{word, 0, 0, 0, {}};
    if (!current(t)) return all;
    const uint32_t serial = thread_[index_of(t)].serial;
    uint64_t at = place(word, serial);
    for (unsigned probe = 0; probe < kProbes && slots_[at].serial; ++probe, at = (at + 1) % kSlots) {
      if (slots_[at].serial != serial || slots_[at].touched.word != word) continue;
      all.reads |= slots_[at].touched.reads;
      all.writes |= slots_[at].touched.writes;
    }
    return all;
  }
  bool everything(ThreadId t) const { return current(t) && thread_[index_of(t)].everything; }
  uint32_t size(ThreadId t) const { return current(t) ? thread_[index_of(t)].count : 0; }
  template <class F>
  void for_each(ThreadId t, F&& visit) const {  // newest first
    if (!current(t)) return;
    uint32_t left = thread_[index_of(t)].count;
    for (uint32_t at = thread_[index_of(t)].head; left > 0; at = slots_[at].next, --left) visit(slots_[at].touched);
  }

 private:
  static constexpr unsigned kBits = 18, kProbes = 64;
  static constexpr uint32_t kSlots = 1u << kBits, kMost = 1u << 14, kNone = ~0u;
  struct Slot {
    Touched touched;
    uint32_t serial, next;
    uint16_t thread;
  };
  struct PerThread {
    uint32_t serial, head, count;
    bool everything;
  };
  static uint64_t place(uint64_t word, uint32_t serial) {
    return ((word >> 3) * 0x9e3779b97f4a7c15ull + serial * 0xd1342543de82ef95ull) >> (64 - kBits);
  }
  bool current(ThreadId t) const { return thread_[index_of(t)].serial >= first_serial_; }
  void forget_all() {
    for (uint32_t i = 0; i < kSlots; ++i) slots_[i].serial = 0;
    for (unsigned t = 0; t < kMaxThreads; ++t) thread_[t].serial = 0;
    serial_ = 0;
    first_serial_ = 1;
  }

  Slot* slots_ = nullptr;
  PerThread* thread_ = nullptr;
  uint32_t serial_ = 0, first_serial_ = 1;
};

}  // namespace lockstep::rt
