// The program's heap while it is controlled: one arena per thread at a fixed address, so that an address is a name
// that does not depend on the schedule: same thread, same allocation sequence, same address.
//
// Memory is handed out by bumping a pointer and not reused within an execution, up to a quarantine bound per arena;
// past it a thread reuses blocks it freed itself, in an order that depends on that thread alone.
#pragma once
#include "model/ids.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

class Heap {
 public:
  // nullptr when out of memory. `where`: a return address, or a node of the call tree; see records.
  void* allocate(size_t size, size_t alignment, uint64_t where = 0);
  void release(void* pointer);
  void* resize(void* pointer, size_t size, uint64_t where = 0);
  size_t usable_size(const void* pointer) const;

  // Where blocks came from, for as long as an execution lasts. Kept only on demand.
  struct Record {
    uint64_t begin, where;
  };
  void keep_records(bool on) { keeps_records_ = on; }
  bool keeps_records() const { return keeps_records_; }
  // The block that `address` lies in, freed or not, as one of its thread's records; nullptr if there is none.
  const Record* record_of(uintptr_t address) const;
  // All records of a thread, ascending by address.
  const Record* records(ThreadId t, uint32_t* count) const;
  static bool live(const Record& record);
  bool is_live(const void* pointer) const;  // handed out and not freed
  static uint64_t size_of(const Record& record);
  // What a block was asked for with, so that it is given back likewise.
  enum class Made : uint16_t { Malloc, New, NewArray };
  static void set_made(void* pointer, Made made) { block_of(pointer).made = made; }
  static Made made(const void* pointer) { return block_of(pointer).made; }

  void begin_execution(bool keep);  // arenas become empty, or (keep) go on behind what is still in use
  // For checkpoints: how far the arenas of threads 0 to used() - 1 are filled.
  unsigned used() const { return used_arenas_; }
  struct Extent {
    char *begin, *end;
  };
  Extent extent(unsigned thread) const { return {arenas_[thread].base, arenas_[thread].next}; }
  // The records of arenas have been put back to how they were at a checkpoint; before, this one was filled so far.
  void clear_after_restore(unsigned thread, Extent before);

  void boot_done();  // what was allocated so far belongs to the program's initial state
  // The part of the boot arena in use: initial state that has to be restored with the rest.
  uintptr_t boot_begin() const;
  uintptr_t boot_end() const;

  // What others do when a block is handed out again, and when something is freed that is no live block.
  void (*on_reuse)(uintptr_t address, size_t size);
  void (*on_bad_free)(const void* pointer, bool freed_before);

 private:
  struct Block {  // just before the pointer the program gets
    uint64_t size;
    uint32_t state;
    uint16_t arena;
    Made made;
  };
  struct Arena {
    char* base;  // start of the arena, or first byte behind what earlier executions left in use
    char* next;
    char* high;  // largest `next` ever: beyond it memory is still zero
    uint64_t live;
    uint32_t serial;  // blocks so far in this execution, reused ones once
    Record* records;  // by serial; bumping a pointer makes them ascend
    void* reusable[48];
  };
  static constexpr unsigned kBoot = kMaxThreads;            // before the first execution
  static constexpr unsigned kPersistent = kMaxThreads + 1;  // uncontrolled threads, ld.so: never reset
  static constexpr unsigned kArenas = kMaxThreads + 2;

  unsigned current_arena() const;
  void* allocate_in(unsigned index, size_t size, size_t alignment, uint64_t where);
  Arena& arena(unsigned index);
  static constexpr uint32_t kMaxRecords = 1u << 22;
  static void clear(char* from, char* to);
  void record(Arena& a, uintptr_t begin, uint64_t where);
  Record* find_record(uintptr_t address) const;
  static Block& block_of(const void* p) { return reinterpret_cast<Block*>(const_cast<void*>(p))[-1]; }

  Arena* arenas_;
  bool* mapped_;          // which arenas have memory: a fact about the process, whatever an execution has used of it
  unsigned used_arenas_;  // one above the largest thread arena touched since the last begin_execution()
  bool booted_;
  bool keeps_records_;
  uint32_t lock_;  // of the persistent and boot arenas
};

// Serves libc's malloc family: the arenas while under a driver, libc's own allocator otherwise.
inline bool in_arena(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) - kArenaBase < (kMaxThreads + 2) * kArenaStride;
}
inline constinit Heap heap{};
extern const Module heap_module;

}  // namespace lockstep::rt
