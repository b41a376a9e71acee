// __tsan_read*, __tsan_write* and the rest of the instrumentation's entry points. Plain accesses are no scheduling
// points: for programs without data races that loses nothing.
#include <string.h>

#include "runtime/sched/spin.hpp"

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT void __tsan_init() { runtime.instrumented = true; }
LOCKSTEP_EXPORT void __tsan_func_entry(void*) {}
LOCKSTEP_EXPORT void __tsan_func_exit() {}

#define LOCKSTEP_SIZED(n)                                              \
  LOCKSTEP_EXPORT void __tsan_read##n(void*) {}                        \
  LOCKSTEP_EXPORT void __tsan_write##n(void* a) { note_plain_write(a); }                       \
  LOCKSTEP_EXPORT void __tsan_read_write##n(void* a) { note_plain_write(a); }                  \
  LOCKSTEP_EXPORT void __tsan_read##n##_pc(void*, void*) {}            \
  LOCKSTEP_EXPORT void __tsan_write##n##_pc(void* a, void*) { note_plain_write(a); }           \
  LOCKSTEP_EXPORT void __tsan_volatile_read##n(void*) {}               \
  LOCKSTEP_EXPORT void __tsan_volatile_write##n(void* a) { note_plain_write(a); }              \
  LOCKSTEP_EXPORT void __tsan_unaligned_read##n(void*) {}              \
  LOCKSTEP_EXPORT void __tsan_unaligned_write##n(void* a) { note_plain_write(a); }             \
  LOCKSTEP_EXPORT void __tsan_unaligned_read_write##n(void* a) { note_plain_write(a); }        \
  LOCKSTEP_EXPORT void __tsan_unaligned_volatile_read##n(void*) {}     \
  LOCKSTEP_EXPORT void __tsan_unaligned_volatile_write##n(void* a) { note_plain_write(a); }
LOCKSTEP_SIZED(1)
LOCKSTEP_SIZED(2)
LOCKSTEP_SIZED(4)
LOCKSTEP_SIZED(8)
LOCKSTEP_SIZED(16)

LOCKSTEP_EXPORT void __tsan_read_range(void*, size_t) {}
LOCKSTEP_EXPORT void __tsan_write_range(void* a, size_t) { note_plain_write(a); }
LOCKSTEP_EXPORT void __tsan_vptr_read(void**) {}
LOCKSTEP_EXPORT void __tsan_vptr_update(void**, void*) {}
LOCKSTEP_EXPORT void* __tsan_memcpy(void* to, const void* from, size_t size) { return memcpy(to, from, size); }
LOCKSTEP_EXPORT void* __tsan_memmove(void* to, const void* from, size_t size) { return memmove(to, from, size); }
LOCKSTEP_EXPORT void* __tsan_memset(void* to, int value, size_t size) { return memset(to, value, size); }

// Annotations of sanitizer-aware libraries: they describe synchronisation that the runtime sees anyway.
LOCKSTEP_EXPORT void __tsan_acquire(void*) {}
LOCKSTEP_EXPORT void __tsan_release(void*) {}
LOCKSTEP_EXPORT void __tsan_ignore_thread_begin() {}
LOCKSTEP_EXPORT void __tsan_ignore_thread_end() {}
LOCKSTEP_EXPORT void __tsan_mutex_create(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_destroy(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_pre_lock(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_post_lock(void*, unsigned, int) {}
LOCKSTEP_EXPORT int __tsan_mutex_pre_unlock(void*, unsigned) { return 0; }
LOCKSTEP_EXPORT void __tsan_mutex_post_unlock(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_pre_signal(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_post_signal(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_pre_divert(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_post_divert(void*, unsigned) {}
LOCKSTEP_EXPORT void AnnotateHappensBefore(const char*, int, const volatile void*) {}
LOCKSTEP_EXPORT void AnnotateHappensAfter(const char*, int, const volatile void*) {}
LOCKSTEP_EXPORT void AnnotateIgnoreReadsBegin(const char*, int) {}
LOCKSTEP_EXPORT void AnnotateIgnoreReadsEnd(const char*, int) {}
LOCKSTEP_EXPORT void AnnotateIgnoreWritesBegin(const char*, int) {}
LOCKSTEP_EXPORT void AnnotateIgnoreWritesEnd(const char*, int) {}
LOCKSTEP_EXPORT void AnnotateBenignRaceSized(const char*, int, const volatile void*, size_t, const char*) {}
LOCKSTEP_EXPORT void AnnotateRWLockCreate(const char*, int, const volatile void*) {}
LOCKSTEP_EXPORT void AnnotateRWLockDestroy(const char*, int, const volatile void*) {}
LOCKSTEP_EXPORT void AnnotateRWLockAcquired(const char*, int, const volatile void*, long) {}
LOCKSTEP_EXPORT void AnnotateRWLockReleased(const char*, int, const volatile void*, long) {}
