// The heap of a controlled program: one arena per thread at a fixed address. An address is a name that does not depend
// on the schedule: the same thread with the same sequence of allocations gets the same address.
//
// An arena allocates by bumping a pointer and does not reuse memory within an execution, up to a quarantine bound per
// arena. Past the bound a thread reuses blocks that it freed itself, in an order that depends on that thread alone.
#pragma once
#include "model/ids.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

class Heap {
 public:
  // nullptr: out of memory. `where`: a return address, or a node of the call tree; see Record.
  void* allocate(size_t size, size_t alignment, uint64_t where = 0);
  void release(void* pointer);
  void* resize(void* pointer, size_t size, uint64_t where = 0);
  size_t usable_size(const void* pointer) const;

  // The origin of a block, for the duration of an execution. Recorded only on demand.
  struct Record {
    uint64_t begin, where;
  };
  void keep_records(bool on) { keeps_records_ = on; }
  bool keeps_records() const { return keeps_records_; }
  // The record of the block that contains `address`, freed or not; nullptr: none.
  const Record* record_of(uintptr_t address) const;
  // All records of a thread, ascending by address.
  const Record* records(ThreadId t, uint32_t* count) const;
  static bool live(const Record& record);
  bool is_live(const void* pointer) const;  // allocated and not freed
  static uint64_t size_of(const Record& record);
  // The function that allocated a block, to check the function that frees it.
  enum class Made : uint16_t { Malloc, New, NewArray };
  static void set_made(void* pointer, Made made) { block_of(pointer).made = made; }
  static Made made(const void* pointer) { return block_of(pointer).made; }

  void begin_execution(bool keep);  // empties arenas, or (keep) continues behind the memory in use
  // For checkpoints: the used part of the arenas of threads 0 to used() - 1.
  unsigned used() const { return used_arenas_; }
  struct Extent {
    char *begin, *end;
  };
  Extent extent(unsigned thread) const { return {arenas_[thread].base, arenas_[thread].next}; }
  // The records of arenas have been restored to a checkpoint. `before`: the used part of this arena before that.
  void clear_after_restore(unsigned thread, Extent before);

  void boot_done();  // all earlier allocations belong to the program's initial state
  // The used part of the boot arena: initial state that is restored with the rest.
  uintptr_t boot_begin() const;
  uintptr_t boot_end() const;

  // Callbacks: a block is allocated again; something is freed that is not a live block.
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
    char* base;  // start of the arena, or first byte behind memory that earlier executions left in use
    char* next;
    char* high;  // largest `next` so far: memory beyond is still zero
    uint64_t live;
    uint32_t serial;  // number of blocks in this execution, reused ones counted once
    Record* records;  // indexed by serial; their addresses ascend
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
  bool* mapped_;          // arenas with mapped memory: a property of the process, not of an execution
  unsigned used_arenas_;  // one above the largest thread arena used since the last begin_execution()
  bool booted_;
  bool keeps_records_;
  uint32_t lock_;  // of the persistent and boot arenas
};

// The arenas serve libc's malloc family while under a driver; otherwise libc's own allocator does.
inline bool in_arena(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) - kArenaBase < (kMaxThreads + 2) * kArenaStride;
}
inline constinit Heap heap{};
extern const Module heap_module;

}  // namespace lockstep::rt
