// Collects the results of the monitors at the end of an execution, for its trace.
#pragma once
#include "model/allocation.hpp"
#include "runtime/base/module.hpp"
#include "runtime/base/thread.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/memory/heap.hpp"

namespace lockstep::rt {

void begin_findings();
// Adds breaches of lock discipline to the races, and the heap blocks of all of them. `completed`: the program ran to
// its end, so blocks that nothing points to are leaks.
void write_findings(bool completed);

uint32_t monitor_flags();  // Monitors::Flags
Allocation* written_allocations(uint32_t* count);

void find_leaks();                                                  // writes every leaked block; defined in leaks.cpp
bool write_allocation(const Heap::Record& record, uint16_t flags);  // false: no room

// The current step uses a lock or similar object. Its memory must not have been freed, nor its frame left. With
// `remember`, they must also not be freed or left later, unless that happens after this step. Operations that release a
// lock only need to be remembered.
void use_object_closely(const void* object, bool remember);
inline void use_object(const void* object, bool remember = true) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(object);
  static_assert(kArenaBase >> 44 == 1 && kStackBase >> 44 == 2, "not where variables lie");
  const uintptr_t region = address >> 44;  // regions 0 and 5 hold variables, which never end
  if (LIKELY(!race_detector.active() && !race_detector.only_freed()) || region == 0 || region == 5) return;
  if (!remember && in_arena(object) && LIKELY(!race_detector.is_freed(address))) return;
  use_object_closely(object, remember);
}
// The frame of the address is gone: reports it, and ends the execution if it cannot continue.
void use_gone_frame(Thread& owner, uintptr_t address, unsigned size, uint8_t flags, uint64_t where);

// A misuse of a lock. The program continues with the behaviour of the C library.
void misuse(Misuse what, const void* object);
// The same, if that behaviour is unknown.
[[noreturn]] void end_misused(Misuse what, const void* object);
bool anyone_waits_in(const void* memory, size_t size);  // on a condition variable, semaphore or barrier there
extern const Module findings_module;

}  // namespace lockstep::rt
