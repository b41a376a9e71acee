// The instrumentation's entry points for plain accesses: __tsan_read*, __tsan_write* and others. Plain accesses are not
// scheduling points: this loses nothing in programs without data races, and these functions look for races.
#include "runtime/tsan_abi/accesses.hpp"

#include "runtime/base/runtime.hpp"
#include "runtime/checks/accesses.hpp"
#include "runtime/detect/call_sites.hpp"
#include "runtime/sched/scheduler.hpp"

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT void __tsan_init() { runtime.instrumented = true; }
// Programs compiled by Lockstep's wrapper do not have these calls, which would prevent the tail calls that coroutines
// need.
LOCKSTEP_EXPORT void __tsan_func_entry(void*) {}
LOCKSTEP_EXPORT void __tsan_func_exit() {}

#define LOCKSTEP_ACCESS(name, n, flags) \
  LOCKSTEP_EXPORT void __tsan_##name##n(void* a) { plain_access<n, flags>(a, __builtin_return_address(0)); }
// Code without atomics waits for volatile variables. A read of one is not a scheduling point as long as no thread has
// written to it, but a thread that repeatedly reads the same value lets other threads run.
#define LOCKSTEP_VOLATILE_READ(name, n)                                      \
  LOCKSTEP_EXPORT void __tsan_##name##n(void* a) {                           \
    plain_access<n, kRead>(a, __builtin_return_address(0));                  \
    if (n <= 8 && runtime.running && controlled()) note_volatile_read(a, n); \
  }
#define LOCKSTEP_ACCESSES(n)                                                                     \
  LOCKSTEP_ACCESS(read, n, kRead)                                                                \
  LOCKSTEP_ACCESS(write, n, kWrite)                                                              \
  LOCKSTEP_ACCESS(read_write, n, kWrite)                                                         \
  LOCKSTEP_VOLATILE_READ(volatile_read, n)                                                       \
  LOCKSTEP_ACCESS(volatile_write, n, kWrite)                                                     \
  LOCKSTEP_ACCESS(unaligned_read, n, kRead)                                                      \
  LOCKSTEP_ACCESS(unaligned_write, n, kWrite)                                                    \
  LOCKSTEP_ACCESS(unaligned_read_write, n, kWrite)                                               \
  LOCKSTEP_VOLATILE_READ(unaligned_volatile_read, n)                                             \
  LOCKSTEP_ACCESS(unaligned_volatile_write, n, kWrite)                                           \
  LOCKSTEP_EXPORT void __tsan_read##n##_pc(void* a, void* pc) { plain_access<n, kRead>(a, pc); } \
  LOCKSTEP_EXPORT void __tsan_write##n##_pc(void* a, void* pc) { plain_access<n, kWrite>(a, pc); }
LOCKSTEP_ACCESSES(1)
LOCKSTEP_ACCESSES(2)
LOCKSTEP_ACCESSES(4)
LOCKSTEP_ACCESSES(8)
LOCKSTEP_ACCESSES(16)

// The entry points that only use their address.
static bool only_looks(const void* function) {
#define LOCKSTEP_HOOKS(n)                                                                                             \
  as_code(__tsan_read##n), as_code(__tsan_write##n), as_code(__tsan_read_write##n), as_code(__tsan_volatile_read##n), \
      as_code(__tsan_volatile_write##n), as_code(__tsan_unaligned_read##n), as_code(__tsan_unaligned_write##n),       \
      as_code(__tsan_unaligned_read_write##n), as_code(__tsan_unaligned_volatile_read##n),                            \
      as_code(__tsan_unaligned_volatile_write##n)
  const auto as_code = [](auto* hook) { return reinterpret_cast<const void*>(hook); };
  const void* const hooks[] = {LOCKSTEP_HOOKS(1), LOCKSTEP_HOOKS(2), LOCKSTEP_HOOKS(4), LOCKSTEP_HOOKS(8),
                               LOCKSTEP_HOOKS(16)};
  for (const void* hook : hooks)
    if (hook == function) return true;
  return false;
}

const Module lockstep::rt::access_module = {
    .name = "instrumented accesses",
    .start = [] { call_sites.is_idle_hook = only_looks; },
};

LOCKSTEP_EXPORT void __tsan_read_range(void* a, size_t size) {
  range_access(a, size, kRangeRead, __builtin_return_address(0));
}
LOCKSTEP_EXPORT void __tsan_write_range(void* a, size_t size) {
  range_access(a, size, kRangeWrite, __builtin_return_address(0));
}
LOCKSTEP_EXPORT void __tsan_vptr_read(void** a) { plain_access<8, kRead>(a, __builtin_return_address(0)); }
// A constructor or destructor that stores the value the object already has makes no visible change.
LOCKSTEP_EXPORT void __tsan_vptr_update(void** a, void* value) {
  if (*a != value) plain_access<8, kWrite>(a, __builtin_return_address(0));
}
LOCKSTEP_EXPORT void* __tsan_memcpy(void* to, const void* from, size_t size) {
  range_access(from, size, kRangeRead, __builtin_return_address(0));
  range_access(to, size, kRangeWrite, __builtin_return_address(0));
  return memory_functions.copy(to, from, size);
}
LOCKSTEP_EXPORT void* __tsan_memmove(void* to, const void* from, size_t size) {
  range_access(from, size, kRangeRead, __builtin_return_address(0));
  range_access(to, size, kRangeWrite, __builtin_return_address(0));
  return memory_functions.move(to, from, size);
}
LOCKSTEP_EXPORT void* __tsan_memset(void* to, int value, size_t size) {
  range_access(to, size, kRangeWrite, __builtin_return_address(0));
  return memory_functions.set(to, value, size);
}
