// What the monitors have to say when an execution is over, made ready for its trace.
#pragma once
#include "model/allocation.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/thread.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/memory/heap.hpp"

namespace lockstep::rt {

void begin_findings();
// Adds breaches of lock discipline to the races, and takes down the blocks of the heap they are about. `completed`: the
// program has come to its end, so what nothing points to is lost.
void write_findings(bool completed);

uint32_t monitor_flags();  // Monitors::Flags
Allocation* written_allocations(uint32_t* count);

void find_leaks();                                                  // writes every lost block; defined in leaks.cpp
bool write_allocation(const Heap::Record& record, uint16_t flags);  // false: no room

// A lock or the like is used, by the step that is being done: its memory must not have been freed, nor its frame left,
// and (remember) must not be from now on unless that comes after this. What gives a lock back needs to be remembered
// only.
void use_object_closely(const void* object, bool remember);
inline void use_object(const void* object, bool remember = true) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(object);
  static_assert(kArenaBase >> 44 == 1 && kStackBase >> 44 == 2, "not where variables lie");
  const uintptr_t region = address >> 44;  // of variables nothing ever ends
  if (LIKELY(!race_detector.active() && !race_detector.only_freed()) || region == 0 || region == 5) return;
  if (!remember && in_arena(object) && LIKELY(!race_detector.is_freed(address))) return;
  use_object_closely(object, remember);
}
// The frame that the address was in is gone: reported, and the execution ends if it cannot go on.
void use_gone_frame(Thread& owner, uintptr_t address, unsigned size, uint8_t flags, uint64_t where);

// An operation on a lock that the program must not do. It goes on with what the C library would do.
void misuse(Misuse what, const void* object);
// The same where nobody knows what that would be.
[[noreturn]] void end_misused(Misuse what, const void* object);
bool anyone_waits_in(const void* memory, size_t size);  // for a condition variable, semaphore or barrier there
extern const Module findings_module;

}  // namespace lockstep::rt
