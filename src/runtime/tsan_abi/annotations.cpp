// Functions that sanitizer-aware code calls by name: ThreadSanitizer's interface (sanitizer/tsan_interface.h) and the
// older dynamic annotations. All of them link. Annotations that order threads also order them for the race detector.
// Requests to ignore accesses have no effect: such a race is reported, and a suppression is the way to accept it.
// docs/environment.md lists all of them.
#include "runtime/base/runtime.hpp"
#include "runtime/checks/accesses.hpp"
#include "runtime/detect/races.hpp"

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT void __tsan_acquire(void* a) {
  if (watched()) race_detector.acquire(self().id, a);
}
LOCKSTEP_EXPORT void __tsan_release(void* a) {
  if (watched()) race_detector.release_merge(self().id, a);
}

// --- locks of the program, whose code may not be instrumented ---

namespace {

constexpr unsigned kReadLock = 1 << 3, kTryLockFailed = 1 << 5;  // __tsan_mutex_read_lock, __tsan_mutex_try_lock_failed

// Readers are ordered with writers, not with each other: they release to their own object.
void* readers_of(void* lock) { return static_cast<char*>(lock) + 1; }

void locked(void* lock, bool shared) {
  __tsan_acquire(lock);
  if (!shared) __tsan_acquire(readers_of(lock));
}
void unlocks(void* lock, bool shared) { __tsan_release(shared ? readers_of(lock) : lock); }

}  // namespace

LOCKSTEP_EXPORT void __tsan_mutex_create(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_destroy(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_pre_lock(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_post_lock(void* lock, unsigned flags, int) {
  if (!(flags & kTryLockFailed)) locked(lock, flags & kReadLock);
}
LOCKSTEP_EXPORT int __tsan_mutex_pre_unlock(void* lock, unsigned flags) {
  unlocks(lock, flags & kReadLock);
  return 0;
}
LOCKSTEP_EXPORT void __tsan_mutex_post_unlock(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_pre_signal(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_post_signal(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_pre_divert(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_mutex_post_divert(void*, unsigned) {}
LOCKSTEP_EXPORT void AnnotateRWLockCreate(const char*, int, const volatile void*) {}
LOCKSTEP_EXPORT void AnnotateRWLockCreateStatic(const char*, int, const volatile void*) {}
LOCKSTEP_EXPORT void AnnotateRWLockDestroy(const char*, int, const volatile void*) {}
LOCKSTEP_EXPORT void AnnotateRWLockAcquired(const char*, int, const volatile void* lock, long writes) {
  locked(const_cast<void*>(lock), !writes);
}
LOCKSTEP_EXPORT void AnnotateRWLockReleased(const char*, int, const volatile void* lock, long writes) {
  unlocks(const_cast<void*>(lock), !writes);
}

// --- order ---

LOCKSTEP_EXPORT void AnnotateHappensBefore(const char*, int, const volatile void* a) {
  __tsan_release(const_cast<void*>(a));
}
LOCKSTEP_EXPORT void AnnotateHappensAfter(const char*, int, const volatile void* a) {
  __tsan_acquire(const_cast<void*>(a));
}
LOCKSTEP_EXPORT void AnnotateCondVarSignal(const char*, int, const volatile void* a) {
  __tsan_release(const_cast<void*>(a));
}
LOCKSTEP_EXPORT void AnnotateCondVarSignalAll(const char*, int, const volatile void* a) {
  __tsan_release(const_cast<void*>(a));
}
LOCKSTEP_EXPORT void AnnotateCondVarWait(const char*, int, const volatile void* a, const volatile void*) {
  __tsan_acquire(const_cast<void*>(a));
}

// --- requests to ignore accesses: no effect ---

LOCKSTEP_EXPORT void __tsan_ignore_thread_begin() {}
LOCKSTEP_EXPORT void __tsan_ignore_thread_end() {}
#define LOCKSTEP_NOTHING(name, ...) \
  LOCKSTEP_EXPORT void name(const char*, int __VA_OPT__(, ) __VA_ARGS__) {}
LOCKSTEP_NOTHING(AnnotateIgnoreReadsBegin)
LOCKSTEP_NOTHING(AnnotateIgnoreReadsEnd)
LOCKSTEP_NOTHING(AnnotateIgnoreWritesBegin)
LOCKSTEP_NOTHING(AnnotateIgnoreWritesEnd)
LOCKSTEP_NOTHING(AnnotateIgnoreSyncBegin)
LOCKSTEP_NOTHING(AnnotateIgnoreSyncEnd)
LOCKSTEP_NOTHING(AnnotateEnableRaceDetection, int)
LOCKSTEP_NOTHING(AnnotateBenignRace, const volatile void*, const char*)
LOCKSTEP_NOTHING(AnnotateBenignRaceSized, const volatile void*, size_t, const char*)
LOCKSTEP_NOTHING(AnnotateExpectRace, const volatile void*, const char*)
LOCKSTEP_NOTHING(AnnotateFlushExpectedRaces)

// --- meaningless here ---

LOCKSTEP_NOTHING(AnnotateFlushState)
LOCKSTEP_NOTHING(AnnotateNewMemory, const volatile void*, size_t)
LOCKSTEP_NOTHING(AnnotatePublishMemoryRange, const volatile void*, size_t)
LOCKSTEP_NOTHING(AnnotateUnpublishMemoryRange, const volatile void*, size_t)
LOCKSTEP_NOTHING(AnnotateMutexIsUsedAsCondVar, const volatile void*)
LOCKSTEP_NOTHING(AnnotateMutexIsNotPHB, const volatile void*)
LOCKSTEP_NOTHING(AnnotatePCQCreate, const volatile void*)
LOCKSTEP_NOTHING(AnnotatePCQDestroy, const volatile void*)
LOCKSTEP_NOTHING(AnnotatePCQGet, const volatile void*)
LOCKSTEP_NOTHING(AnnotatePCQPut, const volatile void*)
LOCKSTEP_NOTHING(AnnotateTraceMemory, const volatile void*)
LOCKSTEP_NOTHING(AnnotateThreadName, const char*)
LOCKSTEP_NOTHING(AnnotateNoOp, const volatile void*)

// The program's fibers run on its threads. All operations of a thread are ordered, whichever fiber runs them.
LOCKSTEP_EXPORT void* __tsan_get_current_fiber() { return runtime.current; }
LOCKSTEP_EXPORT void* __tsan_create_fiber(unsigned) { return runtime.current; }
LOCKSTEP_EXPORT void __tsan_destroy_fiber(void*) {}
LOCKSTEP_EXPORT void __tsan_switch_to_fiber(void*, unsigned) {}
LOCKSTEP_EXPORT void __tsan_set_fiber_name(void*, const char*) {}
LOCKSTEP_EXPORT void* __tsan_external_register_tag(const char*) { return nullptr; }
LOCKSTEP_EXPORT void __tsan_external_register_header(void*, const char*) {}
LOCKSTEP_EXPORT void __tsan_external_assign_tag(void*, void*) {}
LOCKSTEP_EXPORT void __tsan_external_read(void*, void*, void*) {}
LOCKSTEP_EXPORT void __tsan_external_write(void*, void*, void*) {}
LOCKSTEP_EXPORT void __tsan_flush_memory() {}
