// The program's initial memory, and putting it back: a fresh start for every execution without a new process.
//
// At the snapshot every writable page of the program and its libraries, libc included, becomes read-only. The first
// write to a page saves a copy and makes it writable; restoring copies those pages back. So once the pages an execution
// touches are known, an execution costs no fault and no scan, only the copying. Pages that only the first executions
// wrote to (what is set up once, in libraries) become read-only again, but never a second time.
#pragma once
#include "runtime/base/module.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/process/libraries.hpp"

namespace lockstep::rt {

class Snapshot {
 public:
  void take();
  void restore();
  // After the runtime itself changed the program's memory between executions (more pool threads): that is the
  // initial state from now on. Call right after restore() and the change.
  void absorb();
  void extend();  // new libraries have been loaded since: they belong to the initial state, too
  bool taken() const { return taken_; }

  // SIGSEGV at `address`: true if it was a first write to a tracked page, which is now writable.
  bool handle_write_fault(uintptr_t address);
  // Makes the pages of a buffer writable before the kernel writes to it (it would report EFAULT instead of faulting).
  // The same for what may not be an address at all, up to `most` bytes; true if anything became writable.
  bool touch_if_tracked(void* maybe, size_t most);
  void touch(void* buffer, size_t size);
  void touch_shared();  // before a child process starts, which may write to memory that it shares with the program

  // For checkpoints: the pages written so far as they are now, and putting the first `count` of them back to such a
  // copy, those written only since then to the snapshot.
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
    uint8_t idle, busy;  // executions that left it unchanged, the last ones; that did not, of all
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

// Thread-local storage. fresh_tls() makes the running thread's thread_local variables as they are at thread birth;
// the main thread's are put back to their state at the snapshot.
void capture_tls(struct Thread& thread);  // learn the blocks; call on that thread
void fresh_tls(struct Thread& thread);
void save_main_tls(struct Thread& main);
void restore_main_tls(struct Thread& main);

inline constinit Snapshot snapshot{};

bool is_shared_memory(uintptr_t address);  // with child processes; slow: asks the kernel

// Before the kernel writes into the program's memory: it reports EFAULT, or a short read, instead of faulting on a page
// that is still read-only.
inline void about_to_write(void* buffer, size_t size) {
  if (buffer && controlled()) snapshot.touch(buffer, size);
}
extern const Module tls_module;

}  // namespace lockstep::rt
