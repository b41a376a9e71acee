// Atomic operations on the program's memory: the only place that executes them. Executions are sequentially consistent:
// a load returns the newest store. Another memory model would be implemented here, behind the same functions, with
// older stores to choose from; a read-modify-write always continues the newest store.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt::atomic_memory {

#define LOCKSTEP_INLINE inline __attribute__((always_inline))

// --- by a controlled thread: no other thread runs meanwhile, so plain accesses are atomic ---

template <class T>
LOCKSTEP_INLINE T load(const volatile T* a) {
  return *a;
}
template <class T>
LOCKSTEP_INLINE void store(volatile T* a, T value) {
  *a = value;
}
// Returns the old value. `change` must be a pure function.
template <class T, class F>
LOCKSTEP_INLINE T modify(volatile T* a, F&& change) {
  const T old = *a;
  *a = change(old);
  return old;
}
template <class T>
LOCKSTEP_INLINE bool compare_exchange(volatile T* a, T& expected, T desired) {
  const T old = *a;
  if (old == expected) {
    *a = desired;
    return true;
  }
  expected = old;
  return false;
}

// The same, for objects of any size.
inline void load(const volatile void* a, void* out, size_t size) { copy_bytes(out, const_cast<const void*>(a), size); }
inline void store(volatile void* a, const void* value, size_t size) { copy_bytes(const_cast<void*>(a), value, size); }
inline bool holds(const volatile void* a, const void* value, size_t size) {
  return __builtin_memcmp(const_cast<const void*>(a), value, size) == 0;
}
inline void exchange(volatile void* a, const void* value, void* old, size_t size) {
  memory_functions.move(old, const_cast<const void*>(a), size);
  memory_functions.move(const_cast<void*>(a), value, size);
}
inline bool compare_exchange(volatile void* a, void* expected, const void* desired, size_t size) {
  const bool success = holds(a, expected, size);
  if (success)
    store(a, desired, size);
  else
    load(a, expected, size);
  return success;
}

// --- by all other threads: native atomic instructions ---

template <class T>
LOCKSTEP_INLINE T native_compare_exchange(volatile T* a, T expected, T desired) {  // returns the value found
  return __sync_val_compare_and_swap(a, expected, desired);
}
template <class T>
LOCKSTEP_INLINE T native_load(const volatile T* a) {
  if constexpr (sizeof(T) == 16)
    return native_compare_exchange(const_cast<volatile T*>(a), T{0}, T{0});
  else
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);
}
template <class T, class F>
LOCKSTEP_INLINE T native_modify(volatile T* a, F&& change) {
  for (T old = *a;;) {
    const T seen = native_compare_exchange(a, old, change(old));
    if (seen == old) return old;
    old = seen;
  }
}
template <class T>
LOCKSTEP_INLINE void native_store(volatile T* a, T value) {
  if constexpr (sizeof(T) == 16)
    native_modify(a, [value](T) { return value; });
  else
    __atomic_store_n(a, value, __ATOMIC_SEQ_CST);
}

// Objects of any size, for which the processor has no instruction: all share one lock.
class Guard {
 public:
  Guard() {
    while (__sync_lock_test_and_set(&taken_, 1)) sys(SYS_sched_yield);
  }
  ~Guard() { __sync_lock_release(&taken_); }

 private:
  static inline constinit uint32_t taken_ = 0;
};

}  // namespace lockstep::rt::atomic_memory
