// Passes instrumented accesses to the race detector and the other monitors.
#pragma once
#include "runtime/base/runtime.hpp"
#include "runtime/base/settings.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/checks/frames.hpp"
#include "runtime/checks/locked_instructions.hpp"
#include "runtime/detect/call_sites.hpp"
#include "runtime/detect/call_tree.hpp"
#include "runtime/detect/eraser.hpp"
#include "runtime/detect/promoted_accesses.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/detect/tracked_memory.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"

namespace lockstep::rt {

// The place of an access as the shadow stores it: the return address, or in detailed executions the whole stack.
inline uint64_t place(const void* pc) {
  const uint64_t address = reinterpret_cast<uint64_t>(pc);
  return LIKELY(!scheduler().detail) || !scheduler().describes() ? address : unwind_calls();
}

// While races are off, or there is only one thread, only tracked memory matters.
inline bool watched() { return UNLIKELY(race_detector.active() || tracked.on()) && controlled(); }

// An access that an earlier execution found racy is a scheduling point. Called before the access.
inline void reach_promoted(const volatile void* address, size_t size, bool write, const void* pc) {
  if (tracked.on()) {
    if (!tracked.touches(reinterpret_cast<uint64_t>(address), size)) return call_sites.touched_nothing(pc);
    call_sites.touched(pc);
  } else if (LIKELY(!promoted.any()) || !promoted.contains(reinterpret_cast<uint64_t>(pc)))
    return;
  const ObjectId name{promoted.object_of(reinterpret_cast<uint64_t>(address))};
  const void* at = const_cast<const void*>(address);
  const bool watchable = size <= 8;
  const bool can_run = !watchable || may_go_round();
  const uint8_t flags = static_cast<uint8_t>((write ? Step::kWrite : 0) | because_of_a_change());
  Step& step = scheduler().reach(write ? OpKind::PlainWrite : OpKind::PlainRead, at, flags, can_run,
                                 Companion::alias(name), 0, static_cast<uint16_t>(watchable ? size : 0));
  if (write)
    note_coming_write(at, size);
  else if (watchable)
    attempt_failed(step);  // a loop that reads the same value repeatedly spins
}

// Memory on the stack of another thread: its frame may be gone; if not, it must not be left before this access.
inline void check_stack(uintptr_t address, size_t size, uint8_t flags, const void* pc) {
  Thread* owner = stack_owner(address);
  if (!owner || owner == runtime.current) return;
  if (UNLIKELY(frame_is_gone(*owner, address)))
    use_gone_frame(*owner, address, static_cast<unsigned>(size), flags, place(pc));
  else if (address < owner->shared_low && race_detector.active())
    owner->shared_low = address;
}
// Does check_stack() have anything to do? One test for heap and variables, the usual case. Three for a frame that
// another thread was given access to.
inline bool needs_stack_check(uintptr_t address) {
  if (LIKELY(!may_be_stack(address))) return false;
  const Thread* owner = stack_owner(address);
  return owner && owner != runtime.current && (address < owner->shared_low || address < owner->program_sp);
}

// Atomic blocks and lock discipline, if enabled.
inline void watch_more(uintptr_t address, size_t size, uint8_t flags, const void* pc) {
  if (!race_detector.active()) return;  // a single thread shares nothing
  const ThreadId me = runtime.current->id;
  if (scheduler().records_memory()) scheduler().blocks.touch(me, address, size, flags & RaceAccess::kWrite);
  // Before the second thread starts and after the last one is joined, locks exclude no thread.
  if (!eraser.on() || scheduler().live_count < 2) return;
  if (auto* breach = eraser.access(me, address, size, flags & RaceAccess::kWrite, place(pc)))
    race_detector.last_by_another(breach->address, me, breach->other);
}

// The rare parts of an access, besides looking for races.
inline void unusual_access(uintptr_t a, unsigned size, uint8_t flags, const void* pc) {
  if (UNLIKELY(scheduler().detail)) settle_write(*runtime.current);
  reach_promoted(reinterpret_cast<const void*>(a), size, flags & RaceAccess::kWrite, pc);
  if (may_be_stack(a)) check_stack(a, size, flags, pc);
  if (UNLIKELY(scheduler().detail) && stack_owner(a) != runtime.current) runtime.current->looked = true;
  if (settings.watches_more) watch_more(a, size, flags, pc);
}

// A single thread cannot race, but it can use freed memory.
__attribute__((noinline)) inline void look_up_alone(uintptr_t a, size_t size, uint8_t flags, const void* pc) {
  if (!controlled()) return;
  const ThreadId me = runtime.current->id;
  if (!in_arena(reinterpret_cast<const void*>(a)))
    check_stack(a, size, flags, pc);
  else if (UNLIKELY(race_detector.is_freed(a, size)))
    race_detector.range(me, a, size, flags, place(pc));
  if (UNLIKELY(scheduler().detail)) stop_at_new_races();
}
inline void access_alone(uintptr_t a, size_t size, uint8_t flags, const void* pc) {
  if (in_arena(reinterpret_cast<const void*>(a)) || UNLIKELY(needs_stack_check(a))) look_up_alone(a, size, flags, pc);
}

// An access while anything is monitored.
template <unsigned kSize, uint8_t kFlags>
__attribute__((noinline)) void access_closely(const volatile void* address, const void* pc) {
  const uintptr_t a = reinterpret_cast<uintptr_t>(address);
  if (race_detector.only_freed()) return access_alone(a, kSize, kFlags, pc);
  if (!watched() || locked_instructions.access(a, kSize, kFlags & RaceAccess::kWrite, pc)) return;
  unusual_access(a, kSize, kFlags, pc);
  if (!race_detector.active()) return;
  if (kSize <= 8 && (a & 7) + kSize <= 8)
    race_detector.access(runtime.current->id, a, kSize, kFlags, place(pc));
  else
    race_detector.range(runtime.current->id, a, kSize, kFlags, place(pc));
  if (UNLIKELY(scheduler().detail)) stop_at_new_races();
}

// Separate from the entry points, so that those are one test and a return while nothing is monitored. This is the usual
// case, in which only races are monitored: it makes no calls, so no registers are saved.
template <unsigned kSize, uint8_t kFlags>
__attribute__((noinline)) void watched_access(const volatile void* address, const void* pc) {
  const uintptr_t a = reinterpret_cast<uintptr_t>(address);
  if (kSize <= 8 && LIKELY(race_detector.watching_alone() && thread_pointer() == runtime.current->tls &&
                           (a & 7) + kSize <= 8 && !needs_stack_check(a)))
    race_detector.access(runtime.current->id, a, kSize, kFlags, reinterpret_cast<uint64_t>(pc));
  else
    access_closely<kSize, kFlags>(address, pc);
}

template <unsigned kSize, uint8_t kFlags>
inline __attribute__((always_inline)) void plain_access(const volatile void* address, const void* pc) {
  if (kFlags & RaceAccess::kWrite) note_plain_write(address, kSize);
  if (UNLIKELY(race_detector.watching())) watched_access<kSize, kFlags>(address, pc);
}

inline void range_access(const volatile void* address, size_t size, uint8_t flags, const void* pc) {
  if (flags & RaceAccess::kWrite) note_plain_write(address, size);
  if (UNLIKELY(race_detector.only_freed())) return access_alone(reinterpret_cast<uintptr_t>(address), size, flags, pc);
  if (!watched()) return;
  reach_promoted(address, size, flags & RaceAccess::kWrite, pc);
  if (!race_detector.active()) return;
  if (may_be_stack(reinterpret_cast<uintptr_t>(address)))
    check_stack(reinterpret_cast<uintptr_t>(address), size, flags, pc);
  runtime.current->looked = true;
  if (UNLIKELY(settings.watches_more)) watch_more(reinterpret_cast<uintptr_t>(address), size, flags, pc);
  race_detector.range(runtime.current->id, reinterpret_cast<uintptr_t>(address), size, flags, place(pc));
  if (UNLIKELY(scheduler().detail)) stop_at_new_races();
}

// The effect of an atomic operation on data races: an access, plus the synchronisation of its order.
enum class Atomic { Load, Store, Modify };
template <Atomic kWhat>
inline __attribute__((always_inline)) void synchronise(const volatile void* a, size_t size, int raw_order,
                                                       const void* pc) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(a);
  constexpr uint8_t kFlags = RaceAccess::kAtomic | (kWhat == Atomic::Load ? 0 : RaceAccess::kWrite);
  if (LIKELY(!race_detector.watching())) return;
  if (UNLIKELY(!race_detector.active())) {
    if (race_detector.only_freed()) access_alone(address, size, kFlags, pc);
    return;
  }
  if (!controlled()) return;
  if (UNLIKELY(needs_stack_check(address))) check_stack(address, size, kFlags, pc);
  const ThreadId me = runtime.current->id;
  const Order order = static_cast<Order>(raw_order & 7);  // gcc marks __sync builtins in higher bits
  // Acquiring comes before the access and releasing after it: the access is part of what is released.
  Clocks& clocks = race_detector.clocks();
  Clocks::Message* message = nullptr;
  if (kWhat == Atomic::Load) clocks.load(me, address, order);
  if (kWhat == Atomic::Modify) message = &clocks.modify_begin(me, address, order);
  if (size <= 8 && LIKELY((address & 7) + size <= 8))
    race_detector.access(me, address, static_cast<unsigned>(size), kFlags, place(pc));
  else
    race_detector.range(me, address, size, kFlags, place(pc));
  if (kWhat == Atomic::Store) clocks.store(me, address, order);
  if (kWhat == Atomic::Modify) clocks.modify_end(me, *message, order);
}

}  // namespace lockstep::rt
