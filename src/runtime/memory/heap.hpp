// The program's heap while it is controlled: one arena per thread at a fixed address, so that an address is a name
// that does not depend on the schedule: same thread, same allocation sequence, same address.
//
// Memory is handed out by bumping a pointer and not reused within an execution, up to a quarantine bound per arena;
// past it a thread reuses blocks it freed itself, in an order that depends on that thread alone.
#pragma once
#include "model/ids.hpp"
#include "runtime/base.hpp"

namespace lockstep::rt {

class Heap {
 public:
  void* allocate(size_t size, size_t alignment);  // nullptr when out of memory
  void release(void* pointer);
  void* resize(void* pointer, size_t size);
  size_t usable_size(const void* pointer) const;

  void begin_execution(bool keep);  // arenas become empty, or (keep) go on behind what is still in use
  void boot_done();                 // what was allocated so far belongs to the program's initial state
  // The part of the boot arena in use: initial state that has to be restored with the rest.
  uintptr_t boot_begin() const;
  uintptr_t boot_end() const;

 private:
  struct Block {  // just before the pointer the program gets
    uint64_t size;
    uint32_t state;
    uint16_t arena;
    uint16_t serial;
  };
  struct Arena {
    char* base;   // start of the arena, or first byte behind what earlier executions left in use
    char* next;
    char* high;   // largest `next` ever: beyond it memory is still zero
    uint64_t live;
    uint32_t serial;
    void* reusable[48];
  };
  static constexpr unsigned kBoot = kMaxThreads;           // before the first execution
  static constexpr unsigned kPersistent = kMaxThreads + 1; // uncontrolled threads, ld.so: never reset
  static constexpr unsigned kArenas = kMaxThreads + 2;

  unsigned current_arena() const;
  void* allocate_in(unsigned index, size_t size, size_t alignment);
  Arena& arena(unsigned index);
  static Block& block_of(const void* p) { return reinterpret_cast<Block*>(const_cast<void*>(p))[-1]; }

  Arena* arenas_;
  unsigned used_arenas_;  // one above the largest thread arena touched since the last begin_execution()
  bool booted_;
  uint32_t lock_;         // of the persistent and boot arenas
};

// Serves libc's malloc family: the arenas while under a driver, libc's own allocator otherwise.
bool in_arena(const void* pointer);

}  // namespace lockstep::rt
