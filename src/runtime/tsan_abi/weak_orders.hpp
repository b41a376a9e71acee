// Facts about atomic operations and fences weaker than seq_cst, for the claim: the search covers sequentially
// consistent executions only. Operations of a single thread are ordered with all other threads, whatever their memory
// order.
#pragma once
#include "runtime/base/module.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

inline bool is_weak(int order) { return (order & 7) != __ATOMIC_SEQ_CST; }  // gcc marks __sync builtins in higher bits

// The place is nearly always known: checks this first.
inline bool is_news(const void* place) {
  return runtime.running && UNLIKELY(!recently_noticed(FactKind::WeakOrder, place)) && scheduler().unjoined > 0 &&
         controlled();
}

inline void note_order(int order, const void* place) {
  if (is_weak(order) && is_news(place)) add_fact(FactKind::WeakOrder, place);
}

// The compiler tests the guard of a function-local static by loading its first byte with acquire. This is not an atomic
// of the program, and acquire suffices by design. A load that sees 0 is recognised as such a test only when
// __cxa_guard_acquire follows.
void note_byte_load(const volatile void* object, uint8_t value, const void* place);
inline void note_load(const volatile uint8_t* object, uint8_t value, int order, const void* place) {
  if ((order & 7) != __ATOMIC_ACQUIRE) return note_order(order, place);
  if (is_news(place)) note_byte_load(object, value, place);
}
template <class T>
inline void note_load(const volatile T*, T, int order, const void* place) {
  note_order(order, place);
}

void know_guard(const void* guard);  // registers the guard of a function-local static
void settle_byte_loads();            // at the end of an execution: notes the loads that were not tests of a guard
extern const Module weak_orders_module;

}  // namespace lockstep::rt
