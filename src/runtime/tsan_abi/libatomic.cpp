// Calls that compilers emit for atomics without a processor instruction: odd sizes, and sixteen bytes. In instrumented
// programs they are scheduling points like all other atomics; only one thread runs, so the access itself needs no
// atomicity. All other callers share one lock.
#include "runtime/base/atomic_memory.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/accesses.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"
#include "runtime/tsan_abi/weak_orders.hpp"

using namespace lockstep;
using namespace lockstep::rt;

using u128 = unsigned __int128;

namespace {

bool library_atomics_visible() { return controlled() && runtime.instrumented && runtime.points != Points::Sync; }

Step& arrive(OpKind kind, const volatile void* object, uint8_t flags, int order, size_t size) {
  return scheduler().reach(kind, const_cast<const void*>(object), flags, may_go_round(), {},
                           static_cast<uint16_t>(order), static_cast<uint16_t>(size));
}

uint64_t digest(const void* bytes, size_t size) {
  uint64_t hash = size;
  for (size_t i = 0; i < size; ++i) hash = hash * 31 + static_cast<const unsigned char*>(bytes)[i];
  return hash;
}

void load(size_t size, const volatile void* object, void* out, int order, const void* pc) {
  Step& step = arrive(OpKind::Load, object, 0, order, size);
  synchronise<Atomic::Load>(object, size, order, pc);
  atomic_memory::load(object, out, size);
  note_unchanging(step, digest(out, size));
}

void store(size_t size, volatile void* object, const void* value, int order, const void* pc) {
  arrive(OpKind::Store, object, Step::kWrite, order, size);
  synchronise<Atomic::Store>(object, size, order, pc);
  atomic_memory::store(object, value, size);
  note_progress();
}

void exchange(size_t size, volatile void* object, const void* value, void* old, int order, const void* pc) {
  Step& step = arrive(OpKind::Rmw, object, Step::kWrite, order, size);
  synchronise<Atomic::Modify>(object, size, order, pc);
  atomic_memory::exchange(object, value, old, size);
  if (atomic_memory::holds(object, old, size))
    note_unchanging(step, digest(old, size));
  else
    note_progress();
}

bool compare_exchange(size_t size, volatile void* object, void* expected, const void* desired, int order, int failure,
                      const void* pc) {
  Step& step = arrive(OpKind::Cas, object, Step::kConditional, order, size);
  if (!atomic_memory::compare_exchange(object, expected, desired, size)) {
    synchronise<Atomic::Load>(object, size, failure, pc);
    note_unchanging(step, digest(expected, size));
    return false;
  }
  step.flags |= Step::kWrite;
  synchronise<Atomic::Modify>(object, size, order, pc);
  note_progress();
  return true;
}

}  // namespace

#define LOCKSTEP_CALLER __builtin_return_address(0)

// The compiler knows these names as builtins with other types; asm labels give them to functions of this file.
#define LOCKSTEP_LIBATOMIC(result, name, parameters)                                                             \
  extern "C" __attribute__((visibility("default"))) result lockstep_at_##name parameters asm("__atomic_" #name); \
  result lockstep_at_##name parameters

namespace {

// These names must also work without control, because the linker drops libatomic when it finds them here.
bool uncontrolled_compare_exchange(size_t size, volatile void* object, void* expected, const void* desired) {
  const atomic_memory::Guard guard;
  return atomic_memory::compare_exchange(object, expected, desired, size);
}
void uncontrolled_load(size_t size, const volatile void* object, void* out) {
  const atomic_memory::Guard guard;
  atomic_memory::load(object, out, size);
}
void uncontrolled_store(size_t size, volatile void* object, const void* value) {
  const atomic_memory::Guard guard;
  atomic_memory::store(object, value, size);
}
void uncontrolled_exchange(size_t size, volatile void* object, const void* value, void* old) {
  const atomic_memory::Guard guard;
  atomic_memory::exchange(object, value, old, size);
}

}  // namespace

LOCKSTEP_LIBATOMIC(void, load, (size_t size, const volatile void* object, void* out, int order)) {
  note_order(order, LOCKSTEP_CALLER);
  if (!library_atomics_visible()) return uncontrolled_load(size, object, out);
  load(size, object, out, order, LOCKSTEP_CALLER);
}
LOCKSTEP_LIBATOMIC(void, store, (size_t size, volatile void* object, void* value, int order)) {
  note_order(order, LOCKSTEP_CALLER);
  if (!library_atomics_visible()) return uncontrolled_store(size, object, value);
  store(size, object, value, order, LOCKSTEP_CALLER);
}
LOCKSTEP_LIBATOMIC(void, exchange, (size_t size, volatile void* object, void* value, void* old, int order)) {
  note_order(order, LOCKSTEP_CALLER);
  if (!library_atomics_visible()) return uncontrolled_exchange(size, object, value, old);
  exchange(size, object, value, old, order, LOCKSTEP_CALLER);
}
LOCKSTEP_LIBATOMIC(bool, compare_exchange,
                   (size_t size, volatile void* object, void* expected, void* desired, int order, int failure)) {
  const bool success = library_atomics_visible()
                           ? compare_exchange(size, object, expected, desired, order, failure, LOCKSTEP_CALLER)
                           : uncontrolled_compare_exchange(size, object, expected, desired);
  note_order(success ? order : failure, LOCKSTEP_CALLER);
  return success;
}
LOCKSTEP_LIBATOMIC(u128, load_16, (const volatile void* object, int order)) {
  note_order(order, LOCKSTEP_CALLER);
  u128 value;
  if (library_atomics_visible())
    load(16, object, &value, order, LOCKSTEP_CALLER);
  else
    uncontrolled_load(16, object, &value);
  return value;
}
LOCKSTEP_LIBATOMIC(void, store_16, (volatile void* object, u128 value, int order)) {
  note_order(order, LOCKSTEP_CALLER);
  if (!library_atomics_visible()) return uncontrolled_store(16, object, &value);
  store(16, object, &value, order, LOCKSTEP_CALLER);
}
LOCKSTEP_LIBATOMIC(u128, exchange_16, (volatile void* object, u128 value, int order)) {
  note_order(order, LOCKSTEP_CALLER);
  u128 old;
  if (library_atomics_visible())
    exchange(16, object, &value, &old, order, LOCKSTEP_CALLER);
  else
    uncontrolled_exchange(16, object, &value, &old);
  return old;
}
LOCKSTEP_LIBATOMIC(bool, compare_exchange_16,
                   (volatile void* object, void* expected, u128 desired, int order, int failure)) {
  const bool success = library_atomics_visible()
                           ? compare_exchange(16, object, expected, &desired, order, failure, LOCKSTEP_CALLER)
                           : uncontrolled_compare_exchange(16, object, expected, &desired);
  note_order(success ? order : failure, LOCKSTEP_CALLER);
  return success;
}
