// Detects spin loops without annotations in the program.
//
// A thread spins when it returns to the same place with equal callee-saved registers and equal bytes on its stack, has
// read the same values, which are unchanged, and has changed nothing in between. Then the next round will be like the
// last one until one of these values changes, and until then the thread is not enabled (an await loop is a blocking
// read). When only spinners are left, the execution is a livelock.
//
// Only a repeated read is examined this closely. As a fallback (state that grows in every round, more places than are
// stored) kFruitlessRepeats repeated reads count as a yield, so that other threads run and fairness applies.
#pragma once
#include "runtime/base/runtime.hpp"
#include "runtime/sched/inspection.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

inline constexpr uint32_t kFruitlessRepeats = 40;

void unchanging_repeat(Step& step, const Watch& watch);
void wake_spinners();
void wake_watchers(uint64_t address, size_t size);
bool watched_value_changed(const Thread& t);
uint64_t only_change(const Thread& t);  // address of the one watched value that has changed; 0: several, or none
// A signal arrived for the thread: its handler may change the values that the loop waits for. True if the thread was
// spinning.
bool let_go_round(Thread& t);
uint64_t local_state();  // of the running thread: hash of its registers and stack; 0: unknown

// Operations that can store the awaited value in `second`.
inline bool names_change(OpKind kind) { return kind == OpKind::Load || kind == OpKind::Store || kind == OpKind::Rmw; }

inline void goes_round(Thread& t) {
  t.goes_round = true;
  t.change = only_change(t);
}

// The running thread is about to do an atomic operation: can it run, or is it the next round of a spin loop?
inline bool may_go_round() {
  Thread& me = *runtime.current;
  if (LIKELY(!me.spinning)) return true;
  if (!watched_value_changed(me) && !(runtime.interrupted && scheduler().has_signals(me))) {
    ++scheduler().spinners;
    return false;
  }
  me.spinning = false;
  goes_round(me);
  return true;
}

// Step::kBlocked if the next operation exists only because a value of its loop has changed.
inline uint8_t because_of_a_change() {
  Thread& me = *runtime.current;
  if (LIKELY(!me.goes_round)) return 0;
  me.goes_round = false;
  return Step::kBlocked;
}

// The running thread's step changed memory.
inline void note_progress() {
  if (UNLIKELY(scheduler().detail)) settle_write(*runtime.current);
  if (UNLIKELY(scheduler().spinners)) wake_spinners();
}

// A plain write will follow the running thread's step, before any other thread runs.
inline void note_coming_write(const void* address, size_t size) {
  if (UNLIKELY(scheduler().spinners)) wake_watchers(reinterpret_cast<uint64_t>(address), size);
}

// A plain write. It changes what another round of the thread's loop would see, unless it is to the thread's own stack,
// which is compared anyway. Only marked here, because there are many writes; count_plain_writes() counts them. For a
// thread that repeatedly reads the same value, the runtime checks whether its writes change anything.
void remember_write(Thread& me, uintptr_t address, size_t size);
inline void note_plain_write(const volatile void* address, size_t size) {
  if (UNLIKELY(!runtime.running)) return;
  Thread& me = *runtime.current;
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  if (LIKELY(reinterpret_cast<uintptr_t>(me.stack_top) - at < kStackStride)) return;
  if (UNLIKELY(me.compares_writes))
    remember_write(me, at, size);
  else
    me.wrote = true;
}
void compare_writes(Thread& t);
inline void count_plain_writes(Thread& t) {
  if (UNLIKELY(t.write_count)) compare_writes(t);
  t.effects += t.wrote;
  t.wrote = false;
}

// Is this sched_yield one of the few that precede blocking? std::atomic::wait, and with it latches, barriers,
// semaphores and futures, yields four times before it blocks. These yields do not count as giving others a turn:
// otherwise the thread would never block while another thread can run, and a lost wakeup would be missed. A thread that
// keeps yielding without changing anything uses up its row of yields; a thread that does change something can use up
// the maximum.
inline constexpr uint8_t kYieldsBeforeBlocking = 4;
inline bool yields_before_it_blocks() {
  constexpr uint8_t kRow = kYieldsBeforeBlocking, kMost = 64;
  Thread& me = *runtime.current;
  count_plain_writes(me);
  const uint32_t changes = me.effects - me.unchanging;
  if (changes != me.yield_changes) {
    me.yield_changes = changes;
    me.yields_in_row = 0;
  }
  if (me.yields_in_row == kRow || me.yields_forgiven == kMost) return false;
  ++me.yields_in_row;
  ++me.yields_forgiven;
  return true;
}

// std::counting_semaphore of libstdc++ 12 expects the value from before its polling, not the one it polled last, and
// may therefore sleep although the semaphore is free (GCC bug 104928). Every program with a semaphore would show this
// bug, so such a wait ends at once instead, as any futex wait may.
inline bool waits_for_what_it_has_seen_change(const uint32_t* futex, uint32_t expected) {
  Thread& me = *runtime.current;
  count_plain_writes(me);
  return me.yields_in_row == kYieldsBeforeBlocking && me.yield_changes == me.effects - me.unchanging - 1 &&
         me.read_object == reinterpret_cast<uint64_t>(futex) && static_cast<uint32_t>(me.read_value) != expected;
}

// A volatile variable was read, without a step. Repeated equal reads are treated as a loop that waits.
inline void note_volatile_read(const void* address, size_t size) {
  constexpr uint32_t kPatience = 100;
  Thread& me = *runtime.current;
  uint64_t value = 0;
  copy_bytes(&value, address, size);
  const uint64_t key = reinterpret_cast<uint64_t>(address) * 31 + value + me.effects;
  if (key != me.volatile_read) {
    me.volatile_read = key;
    me.volatile_reads = 0;
  } else if (++me.volatile_reads >= kPatience) {
    me.volatile_reads = 0;
    scheduler().reach(OpKind::Yield, nullptr, Step::kYield);
  }
}

// The step just recorded changed nothing and saw this value.
inline void note_unchanging(Step& step, const Watch& watch) {
  constexpr uint32_t kPatience = 16;
  Thread& me = *runtime.current;
  me.same_reads = watch.address == me.read_object && watch.value == me.read_value ? me.same_reads + 1 : 0;
  if (UNLIKELY(me.same_reads == kPatience)) me.compares_writes = true;
  me.read_object = watch.address;
  me.read_value = watch.value;
  count_plain_writes(me);
  if (me.effects != me.spin_effects + 1) {  // not only reads since the last one: a round may begin here
    me.write_count = 0;
    me.spin_rounds = 0;
    me.spin_repeats = 0;
    for (uint64_t& key : me.spin_key) key = 0;  // earlier reads do not belong to a round
  }
  me.spin_effects = me.effects;
  ++me.unchanging;
  const uint64_t key = (watch.address * 31 + watch.value) * 2 + 1;
  if (key == me.spin_key[0] || key == me.spin_key[1] || key == me.spin_key[2] || key == me.spin_key[3]) {
    unchanging_repeat(step, watch);
    return;
  }
  me.spin_key[me.spin_next++ & 3] = key;
  me.spin_repeats = 0;
}
// The same step saw a second value.
inline void note_unchanging_too(Step& step, const Watch& watch) {
  Thread& me = *runtime.current;
  --me.spin_effects;
  --me.unchanging;
  note_unchanging(step, watch);
}
inline void note_unchanging(Step& step, uint64_t value) {
  note_unchanging(step, {static_cast<uint64_t>(step.object), value, step.bytes()});
}

// Repeated attempts are spinning too. An attempt can fail without blocking; the first `size` bytes of the object
// decide.
inline Step& reach_attempt(OpKind kind, const void* object, uint16_t size) {
  const bool can_run = may_go_round();
  return scheduler().reach(kind, object, static_cast<uint8_t>(Step::kConditional | because_of_a_change()), can_run, {},
                           0, size);
}
inline void attempt_failed(Step& step) {
  uint64_t value = 0;
  copy_bytes(&value, reinterpret_cast<const void*>(step.object), step.bytes());
  note_unchanging(step, value);
}

}  // namespace lockstep::rt
