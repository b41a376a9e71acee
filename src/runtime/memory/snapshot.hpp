// A snapshot of the program's initial memory. Restoring it gives every execution a fresh start without a new process.
//
// At the snapshot every writable page of the program and its libraries, including libc, becomes read-only. The first
// write to a page saves a copy and makes it writable; restoring copies those pages back. Once the pages that executions
// write are known, an execution costs copies, but no faults and no scan. Pages that only the first executions wrote
// (one-time setup in libraries) become read-only again, but only once.
#pragma once
#include "runtime/base/module.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/process/libraries.hpp"

namespace lockstep::rt {

class Snapshot {
 public:
  void take();
  void restore();
  // The runtime changed the program's memory between executions (more pool threads): makes the current memory the
  // initial state. Call right after restore() and the change.
  void absorb();
  void extend();  // libraries loaded since belong to the initial state too
  bool taken() const { return taken_; }

  // SIGSEGV at `address`: true if it was a first write to a tracked page, which is now writable.
  bool handle_write_fault(uintptr_t address);
  // Makes pages writable before the kernel writes to them (it would report EFAULT instead of faulting).
  // touch_if_tracked() accepts values that may not be addresses, up to `most` bytes; true if any page became writable.
  bool touch_if_tracked(void* maybe, size_t most);
  void touch(void* buffer, size_t size);
  void touch_shared();  // before a child process starts, which may write to shared memory of the program

  // For checkpoints: copies the pages written so far. Restoring puts the first `count` of them back to such a copy, and
  // pages written later back to the snapshot.
  size_t dirty_pages() const { return dirty_count_; }
  void copy_dirty(char* out) const;
  template <class F>
  void for_each_dirty(F&& visit) const {  // visit(page, size)
    for (size_t i = 0; i < dirty_count_; ++i) visit(dirty_[i].page, size_t{4096});
  }
  void restore_to(const char* copy, size_t count);

 private:
  struct Region {
    uintptr_t begin, end;
    uint8_t* dirty;  // one byte per page: kDirty, kDropped
    char* copies;    // same layout as the region, lazily committed
  };
  struct Dirty {
    char* page;
    char* copy;
    uint8_t* state;      // of the page, in its region
    uint8_t idle, busy;  // last executions that left it unchanged; executions that changed it
  };
  static constexpr uint8_t kDirty = 1, kDropped = 2;
  bool is_idle(Dirty& dirty);
  void add_region(uintptr_t begin, uintptr_t end);
  void exclude(uintptr_t begin, uintptr_t end);
  void find_excluded();

  static constexpr unsigned kMaxRegions = 512, kMaxExcluded = 64, kMaxShared = 64;
  Region* regions_;
  unsigned region_count_;
  struct Range {
    uintptr_t begin, end;
  } excluded_[kMaxExcluded];
  unsigned excluded_count_;
  Range shared_[kMaxShared];
  unsigned shared_count_;
  Dirty* dirty_;
  size_t dirty_count_;
  bool taken_;
};

// Thread-local storage. fresh_tls() resets the running thread's thread_local variables to their state at thread birth.
// The main thread's are restored to the snapshot.
void capture_tls(struct Thread& thread);  // finds the blocks; call on that thread
void fresh_tls(struct Thread& thread);
void save_main_tls(struct Thread& main);
void restore_main_tls(struct Thread& main);

inline constinit Snapshot snapshot{};

bool is_shared_memory(uintptr_t address);  // shared with child processes; slow: reads /proc/self/maps

// Call before the kernel writes to the program's memory: on a page that is still read-only it reports EFAULT or a short
// read instead of faulting.
inline void about_to_write(void* buffer, size_t size) {
  if (buffer && controlled()) snapshot.touch(buffer, size);
}
extern const Module tls_module;

}  // namespace lockstep::rt
