// Finds data races while the program runs: compares every instrumented access with the remembered accesses to the same
// memory. Knows threads only by their ids, so tests need no real threads.
//
// While there is only one thread, nothing is remembered: its accesses happen before everything that starts later. They
// are only checked for uses of freed memory.
#pragma once
#include "model/race.hpp"
#include "runtime/base/module.hpp"
#include "runtime/detect/call_tree.hpp"
#include "runtime/detect/clocks.hpp"
#include "runtime/detect/shadow.hpp"

namespace lockstep::rt {

// Flags of plain accesses.
inline constexpr uint8_t kRead = 0, kWrite = RaceAccess::kWrite, kRangeRead = RaceAccess::kRange,
                         kRangeWrite = RaceAccess::kRange | RaceAccess::kWrite;

// Any access that conflicts with one of kind `old` also conflicts with one of kind `fresh`.
constexpr bool dominates(uint8_t fresh, uint8_t old) {
  return ((fresh & kWrite) || !(old & kWrite)) && (!(fresh & RaceAccess::kAtomic) || (old & RaceAccess::kAtomic));
}

class RaceDetector {
 public:
  void init(CallTree* calls);
  void begin(bool on, bool ordered_too);  // starts an execution; ordered_too: also reports shared memory without races
  bool on() const { return on_; }
  bool active() const { return active_; }  // on, and more than one thread
  // Does any access matter, for races or otherwise? Every instrumented access checks this once.
  bool watching() const { return watching_ != 0; }
  bool watching_alone() const { return watching_ == 1; }
  // Only one thread, but it may use freed memory: accesses are looked up and not remembered.
  bool only_freed() const { return others_ & kOnlyFreed; }
  void others_watch(bool on) { others_ = static_cast<uint8_t>((others_ & kOnlyFreed) | (on ? kOthers : 0)); }
  void end() {
    active_ = on_ = false;
    others_ &= kOthers;
  }

  // --- synchronisation, at the point where it takes effect ---
  void started(ThreadId child, ThreadId parent, uint32_t records);
  void joined(ThreadId joiner, ThreadId finished, bool only_one);
  void stepped(ThreadId t, uint32_t records) {
    if (UNLIKELY(active_)) clocks_.stepped(t, records);
  }
  void acquire(ThreadId t, const void* object) {
    if (UNLIKELY(active_)) clocks_.acquire(t, reinterpret_cast<uintptr_t>(object));
  }
  void release(ThreadId t, const void* object) {  // replaces what was released before: a mutex
    if (UNLIKELY(active_)) clocks_.release(t, reinterpret_cast<uintptr_t>(object));
  }
  void release_merge(ThreadId t, const void* object) {  // adds to what was released before: a semaphore
    if (UNLIKELY(active_)) clocks_.release_merge(t, reinterpret_cast<uintptr_t>(object));
  }
  void forget(const void* object) {
    if (UNLIKELY(active_)) clocks_.forget(reinterpret_cast<uintptr_t>(object));
  }
  Clocks& clocks() { return clocks_; }  // for atomics; only while active()

  // --- accesses, only while active() ---

  // One access that does not cross an eight-byte boundary. The first entry of a cell is the newest, and has been
  // compared with all others. Those results still hold, so an equal access needs no comparison.
  __attribute__((always_inline)) void access(ThreadId t, uintptr_t address, unsigned size, uint8_t flags,
                                             uint64_t where) {
    const Entry fresh{
        where, t, clocks_.now(t), shadow_.generation(), static_cast<uint8_t>(((1u << size) - 1) << (address & 7)),
        flags};
    Cell* cell = shadow_.known_cell(address);
    if (UNLIKELY(!cell)) {
      compare_anew(address, fresh);
      return;
    }
    Entry &first = cell->entry[0], &second = cell->entry[1];
    if (first.repeated_by(fresh)) {
      if (first.where_who == fresh.where_who) {
        first.rest = fresh.rest;
        return;
      }
      // Another place in the same thread. It is recorded too only if there is a race.
      if (LIKELY(count == 0)) {
        first = fresh;
        return;
      }
      // The most frequent cases come first.  NOLINTNEXTLINE(bugprone-branch-clone)
    } else if (!first.of(fresh.generation()) && !second.of(fresh.generation())) {
      first = fresh;
      return;
    } else if (!second.of(fresh.generation()) && first.alike(fresh) && !ordered_too_ && comes_before(first, fresh)) {
      // One thread writes and others read from now on, or the other way round.
      if (!dominates(flags, first.flags()) || first.in_turn_with(fresh)) second = first;
      first = fresh;
      return;
    } else if (second == fresh) {
      return;
    } else if ((flags & RaceAccess::kAtomic) && first.same_but_for_thread(fresh) &&
               (second.apart_from(fresh) || !second.of(fresh.generation())) && !ordered_too_ &&
               comes_before(first, fresh)) {
      first = fresh;  // a counter that threads use in turn
      return;
    } else if (second.same_but_for_thread(fresh) && first.apart_from(fresh) && LIKELY(count == 0) && !ordered_too_ &&
               (second.same_thread(fresh) || ((flags & RaceAccess::kAtomic) && comes_before(second, fresh)))) {
      second = first;  // the same access to one of two adjacent variables
      first = fresh;
      return;
    }
    compare(*cell, address, fresh);
  }
  // A lock or similar object is used, usually by threads in turn.
  void used(ThreadId t, uintptr_t address, uint64_t where) {
    constexpr uint8_t kFlags = RaceAccess::kAtomic | RaceAccess::kSync;
    const auto byte = static_cast<uint8_t>(1u << (address & 7));
    const Entry fresh{where, t, clocks_.now(t), shadow_.generation(), byte, kFlags};
    Cell* cell = shadow_.known_cell(address);
    if (LIKELY(cell && cell->entry[0].same_but_for_thread(fresh) && !cell->entry[1].of(fresh.generation()) &&
               !ordered_too_ && comes_before(cell->entry[0], fresh)))
      cell->entry[0] = fresh;
    else
      compare_anew(address, fresh);
  }
  // A heap block is freed: a write to the whole block, and every later access is an error. Valid whenever on().
  void freed(ThreadId t, uintptr_t address, size_t size, uint64_t where);
  void reused(uintptr_t address, size_t size);  // the block is allocated again
  void range(ThreadId t, uintptr_t address, size_t size, uint8_t flags, uint64_t where);

  // --- freed memory and the stacks of threads that have ended ---
  // A block is freed that was freed before: reports both.
  void freed_again(ThreadId t, uintptr_t address, uint64_t where);
  // Valid whenever on(). The word's two entries nearly always suffice to answer no.
  bool is_freed(uintptr_t address) {
    if (!any_freed_) return false;
    const Cell* cell = shadow_.known_cell(address);
    constexpr uint8_t kPossibly = RaceAccess::kFree | Entry::kChain;
    return cell && UNLIKELY((cell->entry[0].flags() | cell->entry[1].flags()) & kPossibly) && has_free(address);
  }
  bool is_freed(uintptr_t address, size_t size) {
    for (const uintptr_t end = address + size; address < end; address = (address | 7) + 1)
      if (is_freed(address)) return true;
    return false;
  }
  void used_freed(ThreadId t, uintptr_t address, uint64_t where);
  void used_dead_stack(ThreadId t, uintptr_t address, unsigned size, uint8_t flags, uint64_t where, ThreadId owner);
  // The thread has left the stack frames from `low` to `high`. Uses of objects in them must happen before.
  void left(ThreadId t, uintptr_t low, uintptr_t high);
  // The last remembered access to this byte by another thread than `t`.
  bool last_by_another(uintptr_t address, ThreadId t, RaceAccess& out);

  // The results, each pair of places once. In detailed executions `pc` is a node of the call tree until the trace is
  // written.
  static constexpr unsigned kMost = 256;
  DataRace found[kMost]{};
  unsigned count = 0;
  bool more = false;       // there are more than kMost
  bool lifetimes = false;  // includes ends of blocks or frames in which another thread used a lock or similar object
  void add_misuse(const RaceAccess& access);
  const RaceAccess& last_misuse() const { return last_misuse_; }

 private:
  bool comes_before(const Entry& old, const Entry& fresh) const {
    return clocks_.knows(fresh.thread(), old.thread(), old.when());
  }
  __attribute__((noinline)) bool has_free(uintptr_t address);
  static constexpr uint8_t kOthers = 1, kOnlyFreed = 2;
  void only_one_thread() {
    active_ = false;
    others_ = static_cast<uint8_t>((others_ & kOthers) | (any_freed_ ? kOnlyFreed : 0));
  }
  __attribute__((noinline)) void compare(Cell& cell, uintptr_t address, Entry fresh);
  __attribute__((noinline)) void compare_anew(uintptr_t address, Entry fresh) {
    compare(shadow_.cell(address), address, fresh);
  }
  void check(Cell& cell, uintptr_t word, Entry fresh);
  bool ordered_before(const Entry& old, const Entry& fresh) const;
  enum class Fate : uint8_t { Stays, Goes, Unclear };
  Fate fate_of(const Entry& old, const Entry& fresh) const;
  bool pass_on_chain(Cell& cell, const Entry& fresh);
  void meet(Entry& old, uintptr_t word, Entry& fresh);
  __attribute__((noinline)) void check_chain(Cell& cell, uintptr_t word, Entry fresh);
  void report(const Entry& old, const Entry& fresh, uintptr_t word, bool ordered);
  uintptr_t beginning_of(const Entry& entry, uintptr_t word);

  RaceAccess last_misuse_{};
  uintptr_t range_begin_ = 0;  // beginning of the current access, if it has several words
  Clocks clocks_;
  Shadow shadow_;
  CallTree* calls_ = nullptr;
  union {
    uint16_t watching_ = 0;
    struct {
      bool active_;
      uint8_t others_;
    };
  };
  bool on_ = false, ordered_too_ = false, any_freed_ = false;
};
extern RaceDetector race_detector;
extern const Module race_detector_module;

}  // namespace lockstep::rt
