// __tsan_atomic*: every atomic operation of instrumented code, with its memory order. The exploration is sequentially
// consistent; the order is recorded for the analyses.
#include "runtime/base/atomic_memory.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/accesses.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"
#include "runtime/tsan_abi/weak_orders.hpp"

using namespace lockstep;
using namespace lockstep::rt;

namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using u128 = unsigned __int128;

// Is this operation a scheduling point? If not, it executes natively.
inline bool atomics_visible() { return controlled() && LIKELY(runtime.points != Points::Sync); }

// The caller of the exported function, into which all code here is inlined.
#define LOCKSTEP_CALLER __builtin_return_address(0)

template <class T>
LOCKSTEP_INLINE Step& arrive(OpKind kind, const volatile T* a, uint8_t flags, int order, Companion second = {}) {
  uint16_t value = static_cast<uint16_t>(order);
  if (UNLIKELY(self().fenced)) {
    value |= self().fenced;
    self().fenced = 0;
  }
  const bool can_run = may_go_round();
  if (const uint8_t round = because_of_a_change()) {
    flags |= round;
    if (names_change(kind)) second = Companion::change(ObjectId{self().change});
  }
  Thread& me = self();
  arrive_at(LOCKSTEP_STACK);
  Step& step = scheduler().reach(kind, const_cast<const T*>(a), flags, can_run, second, value, sizeof(T));
  me.entry_sp = 0;
  return step;
}

template <class T>
LOCKSTEP_INLINE T load(const volatile T* a, int order) {
  if (!atomics_visible()) {
    synchronise<Atomic::Load>(a, sizeof(T), order, LOCKSTEP_CALLER);
    const T value = atomic_memory::native_load(a);
    note_load(a, value, order, LOCKSTEP_CALLER);
    return value;
  }
  Step& step = arrive(OpKind::Load, a, 0, order);
  synchronise<Atomic::Load>(a, sizeof(T), order, LOCKSTEP_CALLER);
  const T value = atomic_memory::load(a);
  note_load(a, value, order, LOCKSTEP_CALLER);
  note_unchanging(step, static_cast<uint64_t>(value));
  return value;
}

template <class T>
LOCKSTEP_INLINE void store(volatile T* a, T value, int order) {
  note_order(order, LOCKSTEP_CALLER);
  if (!atomics_visible()) {
    synchronise<Atomic::Store>(a, sizeof(T), order, LOCKSTEP_CALLER);
    return atomic_memory::native_store(a, value);
  }
  arrive(OpKind::Store, a, Step::kWrite, order);
  synchronise<Atomic::Store>(a, sizeof(T), order, LOCKSTEP_CALLER);
  atomic_memory::store(a, value);
  note_progress();
}

template <class T, class F>
LOCKSTEP_INLINE T modify(volatile T* a, int order, F&& change) {
  note_order(order, LOCKSTEP_CALLER);
  if (!atomics_visible()) {
    synchronise<Atomic::Modify>(a, sizeof(T), order, LOCKSTEP_CALLER);
    return atomic_memory::native_modify(a, change);
  }
  Step& step = arrive(OpKind::Rmw, a, Step::kWrite, order);
  synchronise<Atomic::Modify>(a, sizeof(T), order, LOCKSTEP_CALLER);
  const T old = atomic_memory::modify(a, change);
  if (change(old) == old)
    note_unchanging(step, static_cast<uint64_t>(old));  // an exchange of equal values: a failed test-and-set
  else
    note_progress();
  return old;
}

template <class T>
LOCKSTEP_INLINE bool compare_exchange(volatile T* a, T& expected, T desired, int order, int failure_order) {
  if (!atomics_visible()) {
    const T seen = atomic_memory::native_compare_exchange(a, expected, desired);
    const bool success = seen == expected;
    if (success)
      synchronise<Atomic::Modify>(a, sizeof(T), order, LOCKSTEP_CALLER);
    else
      synchronise<Atomic::Load>(a, sizeof(T), failure_order, LOCKSTEP_CALLER);
    expected = seen;
    note_order(success ? order : failure_order, LOCKSTEP_CALLER);
    return success;
  }
  Step& step = arrive(OpKind::Cas, a, Step::kConditional, order, Companion::expected(static_cast<uint64_t>(expected)));
  const bool success = atomic_memory::compare_exchange(a, expected, desired);
  note_order(success ? order : failure_order, LOCKSTEP_CALLER);
  if (!success) {
    synchronise<Atomic::Load>(a, sizeof(T), failure_order, LOCKSTEP_CALLER);
    note_unchanging(step, static_cast<uint64_t>(expected));
    return false;
  }
  step.flags |= Step::kWrite;
  synchronise<Atomic::Modify>(a, sizeof(T), order, LOCKSTEP_CALLER);
  note_progress();
  return true;
}

}  // namespace

#define LOCKSTEP_RMW(T, bits, name, expression)                                   \
  LOCKSTEP_EXPORT T __tsan_atomic##bits##_##name(volatile T* a, T v, int order) { \
    return modify(a, order, [v](T old) -> T {                                     \
      (void)old;                                                                  \
      return static_cast<T>(expression);                                          \
    });                                                                           \
  }

#define LOCKSTEP_ATOMICS(T, bits)                                                                                     \
  LOCKSTEP_EXPORT T __tsan_atomic##bits##_load(const volatile T* a, int order) { return load(a, order); }             \
  LOCKSTEP_EXPORT void __tsan_atomic##bits##_store(volatile T* a, T v, int order) { store(a, v, order); }             \
  LOCKSTEP_RMW(T, bits, exchange, v)                                                                                  \
  LOCKSTEP_RMW(T, bits, fetch_add, old + v)                                                                           \
  LOCKSTEP_RMW(T, bits, fetch_sub, old - v)                                                                           \
  LOCKSTEP_RMW(T, bits, fetch_and, old& v)                                                                            \
  LOCKSTEP_RMW(T, bits, fetch_or, old | v)                                                                            \
  LOCKSTEP_RMW(T, bits, fetch_xor, old ^ v)                                                                           \
  LOCKSTEP_RMW(T, bits, fetch_nand, ~(old & v))                                                                       \
  LOCKSTEP_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* e, T v, int order,              \
                                                                    int failure) {                                    \
    return compare_exchange(a, *e, v, order, failure);                                                                \
  }                                                                                                                   \
  LOCKSTEP_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* e, T v, int order, int failure) { \
    return compare_exchange(a, *e, v, order, failure);                                                                \
  }                                                                                                                   \
  LOCKSTEP_EXPORT T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T e, T v, int order, int failure) {     \
    compare_exchange(a, e, v, order, failure);                                                                        \
    return e;                                                                                                         \
  }

LOCKSTEP_ATOMICS(u8, 8)
LOCKSTEP_ATOMICS(u16, 16)
LOCKSTEP_ATOMICS(u32, 32)
LOCKSTEP_ATOMICS(u64, 64)
LOCKSTEP_ATOMICS(u128, 128)

LOCKSTEP_EXPORT void __tsan_atomic_thread_fence(int order) {
  note_order(order, LOCKSTEP_CALLER);
  if (race_detector.active() && controlled()) race_detector.clocks().fence(self().id, static_cast<Order>(order & 7));
  if (atomics_visible() && (order & 7) == __ATOMIC_SEQ_CST) self().fenced = Step::kAfterFence;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
LOCKSTEP_EXPORT void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
