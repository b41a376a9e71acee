// The runtime's own memory as it was at each of a few checkpoints, of which each is later than the one before.
//
// From the first checkpoint on all of it is read-only. The first write to a page copies it and makes it writable: that
// copy stands for every checkpoint so far. Later checkpoints copy such pages as they are made. A page once written
// stays writable, because the next execution will write it again; so going back costs the copying and no faults.
//
// Only the runtime itself writes here. The program's memory cannot be watched like that, because the kernel writes to
// it, too, and fails where it may not.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

class OwnState {
 public:
  static constexpr unsigned kLevels = 8;

  void init();
  unsigned levels() const { return levels_; }
  bool save();                   // one level more; false: there is no room for it
  void restore(unsigned level);  // what is above it is forgotten
  void forget();                 // everything; the memory stays as it is
  // There was no room for a copy: all checkpoints are lost.
  bool lost() const { return lost_; }

  // SIGSEGV at `address`: true if it was the first write to a watched page, which is now writable.
  bool handle_write_fault(uintptr_t address);
  unsigned faults() const { return faults_; }

 private:
  struct Page {
    char* at;
    uint8_t first;  // level from which on there are copies; for those before, that one is right
    char* copy[kLevels];
  };
  static constexpr unsigned kMostPages = 4096, kMostCopies = 3 * kMostPages;

  char* take_copy(const char* page);
  void watch(unsigned from);  // the runtime's variables if 0, and its mappings from that one on
  bool watched(uintptr_t address) const;
  void unwatch();

  unsigned levels_, page_count_, watched_count_, faults_;
  unsigned mappings_[kLevels];
  bool lost_;
  uintptr_t variables_begin_, variables_end_;
  Page* page_;
  char* copies_;          // room for kMostCopies
  unsigned copies_used_;  // of them, ever
  char* free_;            // a list of those given back
};

}  // namespace lockstep::rt
