// The malloc family.
#include "runtime/intercept/memory.hpp"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/settings.hpp"
#include "runtime/checks/accesses.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/detect/promoted_accesses.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/intercept/mutex.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sync/mutex.hpp"

// libc's allocator under its internal names: dlsym cannot be used here, because it allocates.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace lockstep::rt {

static void end_bad_free(const void* pointer, bool freed_before) {
  char text[128];
  format(text, sizeof text, freed_before ? "block 0x%x was freed twice" : "free of 0x%x, which is not a heap block",
         reinterpret_cast<uint64_t>(pointer));
  scheduler().fault_address = reinterpret_cast<uint64_t>(pointer);
  scheduler().end(Outcome::DoubleFree, 0, text);
}

namespace {

// Does the program define operators new and delete? Then the allocations that the C++ library makes for the program
// call them.
bool find_own_operators() {
  for (const char* name : {"_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"}) {
    Dl_info info, mine;
    void* found = dlsym(RTLD_DEFAULT, name);
    if (!found || !dladdr(found, &info) || !dladdr(&runtime, &mine)) return true;
    if (info.dli_fbase != mine.dli_fbase) return true;
  }
  return false;
}
constinit bool has_own_operators = false;

}  // namespace

const Module memory_module = {
    .name = "memory calls",
    .start =
        [] {
          heap.on_bad_free = end_bad_free;
          has_own_operators = find_own_operators();
        },
};

}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

namespace {

void* out_of_memory() {
  errno = ENOMEM;
  return nullptr;
}

// The origin of a block, if it is recorded.
inline uint64_t origin(const void* caller) {
  if (LIKELY(!heap.keeps_records()) || !controlled()) return 0;
  return LIKELY(!settings.keeps_origins) ? reinterpret_cast<uint64_t>(caller) : unwind_calls();
}

void* allocate(size_t size, size_t alignment, const void* caller) {
  void* p = heap.allocate(size, alignment, origin(caller));
  return LIKELY(p != nullptr) ? p : out_of_memory();
}

// Freeing is a write to the whole block. Frees that libraries make for themselves (exceptions in flight, streams) are
// ordered by synchronisation that is not seen.
void note_free(void* p, const void* caller) {
  if (!race_detector.on() || !controlled() || !in_arena(p) || from_library(caller)) return;
  const auto address = reinterpret_cast<uintptr_t>(p);
  if (heap.is_live(p)) {
    if (UNLIKELY(promoted.any()) && race_detector.active()) reach_promoted(p, heap.usable_size(p), true, caller);
    race_detector.freed(self().id, address, heap.usable_size(p), place(caller));
  } else {  // a double free, reported with both places
    race_detector.freed_again(self().id, address, place(caller));
  }
  if (UNLIKELY(scheduler().detail)) stop_at_new_races();
}

using Made = Heap::Made;

// If the program has its own operators, the functions they call do not show what the program's source says.
__attribute__((noinline)) void end_mismatched(void* p, Made given_back) {
  if (has_own_operators) return;
  constexpr const char* kAsked[] = {"malloc", "new", "new[]"};
  constexpr const char* kBack[] = {"free", "delete", "delete[]"};
  char text[96];
  format(text, sizeof text, "block 0x%x allocated by %s is freed by %s", reinterpret_cast<uint64_t>(p),
         kAsked[static_cast<unsigned>(Heap::made(p))], kBack[static_cast<unsigned>(given_back)]);
  scheduler().fault_address = reinterpret_cast<uint64_t>(p);
  scheduler().end(Outcome::DoubleFree, 0, text);
}

// Checks that a heap block is freed by the counterpart of the function that allocated it. Only for the program's own
// code.
inline void check_match(void* p, Made given_back, const void* caller) {
  if (UNLIKELY(Heap::made(p) != given_back) && controlled() && heap.is_live(p) && !from_library(caller))
    end_mismatched(p, given_back);
}

// A block is freed: checks that no thread holds a lock or waits for an object in it. Only searches the beginning of a
// large block.
inline void check_unlocked(const void* p, const void* caller) {
  constexpr size_t kMost = 16 << 10;
  size_t size = heap.usable_size(p);
  if (LIKELY(size < sizeof(pthread_barrier_t)) || !controlled() || !heap.is_live(p)) return;
  if (UNLIKELY(scheduler().live_count > 1) && anyone_waits_in(p, size) && !from_library(caller))
    misuse(Misuse::FreedAwaited, p);
  if (size > kMost) size = kMost;
  const auto* bytes = static_cast<const char*>(p);
  for (size_t at = 0; at + sizeof(pthread_mutex_t) <= size; at += alignof(pthread_mutex_t))
    if (UNLIKELY(reinterpret_cast<const Mutex*>(bytes + at)->marked_held()) && !from_library(caller))
      misuse(Misuse::MutexFreedLocked, bytes + at);
}

// True for memory outside any heap: a stack or a variable. Blocks from before control belong to libc.
bool is_no_heap(const void* p) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(p);
  if (address - kStackBase < kMaxThreads * kStackStride) return true;
  if (address <= runtime.initial_stack && address >= reinterpret_cast<uintptr_t>(__builtin_frame_address(0)))
    return true;
  struct Looked {
    uintptr_t address;
    bool inside;
  } looked{address, false};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& l = *static_cast<Looked*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_LOAD &&
              l.address - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) < info->dlpi_phdr[i].p_memsz)
            l.inside = true;
        return 0;
      },
      &looked);
  return looked.inside;
}

void free_foreign(void* p) {
  if (controlled() && is_no_heap(p)) {
    char text[96];
    format(text, sizeof text, "free of 0x%x, which is not a heap block", reinterpret_cast<uint64_t>(p));
    scheduler().end(Outcome::DoubleFree, 0, text);
  }
  __libc_free(p);
}

inline void give_back(void* p, Made made, const void* caller) {
  if (!p) return;
  note_free(p, caller);
  if (LIKELY(in_arena(p))) {
    check_match(p, made, caller);
    check_unlocked(p, caller);
    heap.release(p);
  } else {
    free_foreign(p);
  }
}

bool power_of_two(size_t n) { return n && !(n & (n - 1)); }

}  // namespace

LOCKSTEP_EXPORT void* malloc(size_t size) noexcept {
  return LIKELY(runtime.active) ? allocate(size, 16, __builtin_return_address(0)) : __libc_malloc(size);
}

LOCKSTEP_EXPORT void free(void* p) noexcept { give_back(p, Made::Malloc, __builtin_return_address(0)); }

LOCKSTEP_EXPORT void* calloc(size_t count, size_t size) noexcept {
  if (UNLIKELY(!runtime.active)) return __libc_calloc(count, size);
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return out_of_memory();
  void* p = allocate(bytes, 16, __builtin_return_address(0));
  if (p) zero_bytes(p, bytes);
  return p;
}

LOCKSTEP_EXPORT void* realloc(void* p, size_t size) noexcept {
  if (!p) return LIKELY(runtime.active) ? allocate(size, 16, __builtin_return_address(0)) : __libc_malloc(size);
  if (!in_arena(p)) {
    if (!runtime.active) return __libc_realloc(p, size);
    void* fresh = allocate(size, 16, __builtin_return_address(0));
    const size_t old = LOCKSTEP_REAL(malloc_usable_size)(p);
    if (fresh) copy_bytes(fresh, p, old < size ? old : size);
    return fresh;
  }
  if (size == 0) {
    free(p);
    return nullptr;
  }
  note_free(p, __builtin_return_address(0));
  void* fresh = heap.resize(p, size, origin(__builtin_return_address(0)));
  return fresh ? fresh : out_of_memory();
}

LOCKSTEP_EXPORT void* memalign(size_t alignment, size_t size) noexcept {
  return LIKELY(runtime.active) ? allocate(size, alignment, __builtin_return_address(0))
                                : __libc_memalign(alignment, size);
}
LOCKSTEP_EXPORT void* aligned_alloc(size_t alignment, size_t size) noexcept { return memalign(alignment, size); }
LOCKSTEP_EXPORT void* valloc(size_t size) noexcept { return memalign(4096, size); }
LOCKSTEP_EXPORT void* pvalloc(size_t size) noexcept { return memalign(4096, (size + 4095) & ~size_t{4095}); }

LOCKSTEP_EXPORT int posix_memalign(void** out, size_t alignment, size_t size) noexcept {
  if (!power_of_two(alignment) || alignment % sizeof(void*)) return EINVAL;
  const int saved = errno;
  void* p = memalign(alignment, size);
  errno = saved;
  if (!p) return ENOMEM;
  *out = p;
  return 0;
}

LOCKSTEP_EXPORT size_t malloc_usable_size(void* p) noexcept {
  if (!p) return 0;
  return in_arena(p) ? heap.usable_size(p) : LOCKSTEP_REAL(malloc_usable_size)(p);
}

// operator new, so that the origin of a block is the place of `new` in the program. Without memory, libstdc++'s version
// reports it.
extern "C" {
void* _Znwm(size_t);
void* _Znam(size_t);
void* _ZnwmSt11align_val_t(size_t, size_t);
void* _ZnamSt11align_val_t(size_t, size_t);
}
// Null without memory, or without control.
inline void* allocate_new(size_t size, size_t alignment, Made made, const void* caller) {
  void* p = LIKELY(runtime.active) ? heap.allocate(size, alignment, origin(caller)) : nullptr;
  if (LIKELY(p != nullptr)) Heap::set_made(p, made);
  return p;
}
#define LOCKSTEP_NEW(name, made, alignment, parameters, ...)                    \
  LOCKSTEP_EXPORT void* name parameters {                                       \
    void* p = allocate_new(size, alignment, made, __builtin_return_address(0)); \
    return LIKELY(p != nullptr) ? p : LOCKSTEP_REAL(name)(__VA_ARGS__);         \
  }
LOCKSTEP_NEW(_Znwm, Made::New, 16, (size_t size), size)
LOCKSTEP_NEW(_Znam, Made::NewArray, 16, (size_t size), size)
LOCKSTEP_NEW(_ZnwmSt11align_val_t, Made::New, alignment, (size_t size, size_t alignment), size, alignment)
LOCKSTEP_NEW(_ZnamSt11align_val_t, Made::NewArray, alignment, (size_t size, size_t alignment), size, alignment)

// operator delete, so that the place of a free is that of `delete` in the program. The program's own operators replace
// these.
#define LOCKSTEP_DELETE(name, made, ...) \
  LOCKSTEP_EXPORT void name(void* p __VA_ARGS__) noexcept { give_back(p, made, __builtin_return_address(0)); }
LOCKSTEP_DELETE(_ZdlPv, Made::New)
LOCKSTEP_DELETE(_ZdaPv, Made::NewArray)
LOCKSTEP_DELETE(_ZdlPvm, Made::New, , size_t)  // sized
LOCKSTEP_DELETE(_ZdaPvm, Made::NewArray, , size_t)
LOCKSTEP_DELETE(_ZdlPvSt11align_val_t, Made::New, , size_t)  // aligned
LOCKSTEP_DELETE(_ZdaPvSt11align_val_t, Made::NewArray, , size_t)
LOCKSTEP_DELETE(_ZdlPvmSt11align_val_t, Made::New, , size_t, size_t)
LOCKSTEP_DELETE(_ZdaPvmSt11align_val_t, Made::NewArray, , size_t, size_t)

// Allocations and frees that the C++ library makes for the program, at the place where the program called it
// (stdcxx/redirect.hpp).
extern "C" __attribute__((visibility("hidden"))) void* lockstep_library_new(size_t size) {
  if (UNLIKELY(has_own_operators)) return reinterpret_cast<decltype(&_Znwm)>(dlsym(RTLD_DEFAULT, "_Znwm"))(size);
  void* p = allocate_new(size, 16, Made::New, self().library_call);
  return LIKELY(p != nullptr) ? p : LOCKSTEP_REAL(_Znwm)(size);
}
extern "C" __attribute__((visibility("hidden"))) void lockstep_library_delete(void* p) {
  if (UNLIKELY(has_own_operators)) return reinterpret_cast<decltype(&_ZdlPv)>(dlsym(RTLD_DEFAULT, "_ZdlPv"))(p);
  give_back(p, Made::New, self().library_call);
}
