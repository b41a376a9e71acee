// What the monitors have to say when an execution is over, made ready for its trace.
#pragma once
#include "model/allocation.hpp"
#include "runtime/root.hpp"

namespace lockstep::rt {

void begin_telling();
// Adds breaches of lock discipline to the races, and takes down the blocks of the heap they are about. `completed`: the
// program has come to its end, so what nothing points to is lost.
void tell_findings(bool completed);

uint32_t monitor_flags();  // Monitors::Flags
Allocation* told_allocations();
uint32_t told_allocation_count();

void find_leaks();  // tells every lost block; defined in leaks.cpp
bool tell_allocation(const Heap::Record& record, uint16_t flags);  // false: no room

// The running thread's stack as a node of the call tree, whose innermost frame is `caller`.
uint64_t call_stack(const void* caller);

// A lock, condition variable or semaphore is about to be used: its memory must not have been freed.
void tell_use_of_freed(const void* object);
inline void check_in_use(const void* object) {
  if (UNLIKELY(runtime.races.active() || runtime.races.only_freed()) && in_arena(object) && runtime.races.is_freed(reinterpret_cast<uintptr_t>(object)))
    tell_use_of_freed(object);
}

}  // namespace lockstep::rt
