// From an instrumented access to the detector.
#pragma once
#include "runtime/root.hpp"
#include "runtime/sched/spin.hpp"

namespace lockstep::rt {

// What the shadow keeps about the place of an access: the return address, or in detailed executions the whole stack.
inline uint64_t place(const void* pc) {
  const uint64_t address = reinterpret_cast<uint64_t>(pc);
  if (LIKELY(!runtime.scheduler.detail)) return address;
  return reinterpret_cast<uint64_t>(runtime.calls.child(runtime.current->calls, address));
}

inline bool watched() { return UNLIKELY(runtime.races.active() || runtime.tracked.on()) && controlled(); }

// An access that was found racy is a scheduling point, before it happens.
inline void reach_promoted(const volatile void* address, size_t size, bool write, const void* pc) {
  if (runtime.tracked.on()) {
    if (!runtime.tracked.touches(reinterpret_cast<uint64_t>(address), size)) return;
  } else if (LIKELY(!runtime.promoted.any()) || !runtime.promoted.contains(reinterpret_cast<uint64_t>(pc))) return;
  scheduler().reach(write ? OpKind::PlainWrite : OpKind::PlainRead, const_cast<const void*>(address),
                    write ? Step::kWrite : 0);
}

// Apart from the entry points, so that those are one test and a return while nothing is watched.
template <unsigned kSize, uint8_t kFlags>
__attribute__((noinline)) void watched_access(const volatile void* address, const void* pc) {
  if (!controlled()) return;
  reach_promoted(address, kSize, kFlags & RaceAccess::kWrite, pc);
  if (!runtime.races.active()) return;
  const uintptr_t a = reinterpret_cast<uintptr_t>(address);
  const ThreadId me = runtime.current->id;
  if (UNLIKELY(scheduler().in_blocks())) scheduler().blocks.touch(me, a, kSize, kFlags & RaceAccess::kWrite);
  if (kSize <= 8 && LIKELY((a & 7) + kSize <= 8))
    runtime.races.access(me, a, kSize, kFlags, place(pc));
  else
    runtime.races.range(me, a, kSize, kFlags, place(pc));
}

template <unsigned kSize, uint8_t kFlags>
inline __attribute__((always_inline)) void plain_access(const volatile void* address, const void* pc) {
  if (kFlags & RaceAccess::kWrite) note_plain_write(address);
  if (UNLIKELY(runtime.races.active() || runtime.tracked.on())) watched_access<kSize, kFlags>(address, pc);
}

inline void range_access(const volatile void* address, size_t size, uint8_t flags, const void* pc) {
  if (flags & RaceAccess::kWrite) note_plain_write(address);
  if (!watched()) return;
  reach_promoted(address, size, flags & RaceAccess::kWrite, pc);
  if (!runtime.races.active()) return;
  if (UNLIKELY(scheduler().in_blocks()))
    scheduler().blocks.touch(runtime.current->id, reinterpret_cast<uintptr_t>(address), size, flags & RaceAccess::kWrite);
  runtime.races.range(runtime.current->id, reinterpret_cast<uintptr_t>(address), size, flags, place(pc));
}

}  // namespace lockstep::rt
