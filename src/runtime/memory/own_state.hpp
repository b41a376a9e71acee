// Checkpoints of the runtime's own memory: its content at each of a few checkpoints, in order of time.
//
// From the first checkpoint on, all of it is read-only. The first write to a page copies the page and makes it
// writable; this copy is valid for every checkpoint so far. Later checkpoints copy such pages when they are made. A
// written page stays writable, because the next execution will write it again: restoring costs copies but no faults.
//
// Only the runtime writes to this memory. The program's memory cannot be watched like this: the kernel writes to it
// too, and fails on read-only pages.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

class OwnState {
 public:
  static constexpr unsigned kLevels = 8;

  void init();
  unsigned levels() const { return levels_; }
  bool save();                   // adds a level; false: no room for it
  void restore(unsigned level);  // and drops the levels above
  void forget();                 // drops all levels; the memory does not change
  // There was no room for a copy: all checkpoints are invalid.
  bool lost() const { return lost_; }

  // SIGSEGV at `address`: true if it was the first write to a watched page, which is now writable.
  bool handle_write_fault(uintptr_t address);
  unsigned faults() const { return faults_; }

 private:
  struct Page {
    char* at;
    uint8_t first;  // first level with a copy of its own; earlier levels use that copy too
    char* copy[kLevels];
  };
  static constexpr unsigned kMostPages = 4096, kMostCopies = 3 * kMostPages;

  char* take_copy(const char* page);
  void watch(unsigned from);  // the runtime's variables if 0, and its mappings from index `from` on
  bool watched(uintptr_t address) const;
  void unwatch();

  unsigned levels_, page_count_, watched_count_, faults_;
  unsigned mappings_[kLevels];
  bool lost_;
  uintptr_t variables_begin_, variables_end_;
  Page* page_;
  char* copies_;          // room for kMostCopies
  unsigned copies_used_;  // number of copies used so far
  char* free_;            // list of freed copies
};

}  // namespace lockstep::rt
