// Atomic operations and fences weaker than seq_cst, as facts for the claim: the search sees sequentially consistent
// executions only. While a thread is alone, everything it does is ordered with all other threads, whatever it asks for.
#pragma once
#include "runtime/base/module.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

inline bool is_weak(int order) { return (order & 7) != __ATOMIC_SEQ_CST; }  // gcc marks __sync builtins in higher bits

// Nearly always the place is known: that is looked at first.
inline bool is_news(const void* place) {
  return runtime.running && UNLIKELY(!recently_noticed(FactKind::WeakOrder, place)) && scheduler().unjoined > 0 &&
         controlled();
}

inline void note_order(int order, const void* place) {
  if (is_weak(order) && is_news(place)) add_fact(FactKind::WeakOrder, place);
}

// The compiler tests the guard of a function-local static by loading its first byte with acquire. That is no atomic of
// the program, and the order suffices by design. A test that sees 0 is known for one only when __cxa_guard_acquire
// follows.
void note_byte_load(const volatile void* object, uint8_t value, const void* place);
inline void note_load(const volatile uint8_t* object, uint8_t value, int order, const void* place) {
  if ((order & 7) != __ATOMIC_ACQUIRE) return note_order(order, place);
  if (is_news(place)) note_byte_load(object, value, place);
}
template <class T>
inline void note_load(const volatile T*, T, int order, const void* place) {
  note_order(order, place);
}

void know_guard(const void* guard);  // of a function-local static
void settle_byte_loads();            // the execution is over: what was no test of a guard is noted
extern const Module weak_orders_module;

}  // namespace lockstep::rt
