// Ground rules of the runtime, which runs inside the program under test:
//
//  * No exceptions, no RTTI, no malloc, no static constructors, no libstdc++ symbols. Memory comes from map_pages().
//  * No thread-local variables: the TLS of the running fiber belongs to the program.
//  * System calls go through sys(): libc's wrappers write errno, which belongs to the program, too.
//  * Everything is hidden except what is marked LOCKSTEP_EXPORT.
//  * Mutable state is one object per file, which the module of that file resets (module.hpp).
#pragma once
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#define LOCKSTEP_EXPORT extern "C" __attribute__((visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

namespace lockstep::rt {

// Raw system call; returns the kernel's value, -errno on failure.
inline long sys(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "unsupported architecture"
#endif
}
template <class T>
inline long word(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

// The thread pointer. It identifies the TLS in use, and so the running thread.
inline uintptr_t thread_pointer() {
  uintptr_t value;
#if defined(__x86_64__)
  asm volatile("mov %%fs:0x10,%0" : "=r"(value));
#else
  asm volatile("mrs %0, tpidr_el0" : "=r"(value));
#endif
  return value;
}

// Addresses that the runtime uses. They are fixed, so that addresses in the program depend on nothing else.
inline constexpr uintptr_t kArenaBase = 0x1000'0000'0000;  // heap of thread i: kArenaBase + i * kArenaStride
inline constexpr uintptr_t kArenaStride = 1ull << 33;
inline constexpr uintptr_t kStackBase = 0x2080'0000'0000;  // stack of pool thread i
inline constexpr uintptr_t kStackStride = 1ull << 28;
inline constexpr uintptr_t kPrivateBase = 0x3000'0000'0000;  // the runtime's own pages
inline constexpr uintptr_t kPrivateEnd = 0x3800'0000'0000;
inline constexpr uintptr_t kPage = 4096;

// Zeroed, private, lazily committed. Never fails (ends the process instead). These pages are state of the current
// execution and part of a checkpoint; unsaved pages are not.
void* map_pages(size_t bytes);
void* map_unsaved_pages(size_t bytes);
void unmap_pages(const void* pages, size_t bytes);

// The result of map_pages(), in order.
struct OwnPages {
  uintptr_t begin;
  size_t bytes;
  bool saved;
};
const OwnPages* own_pages(unsigned* count);
// While pinned, unmapped pages stay in memory, because a checkpoint refers to them.
void pin_pages(bool on);
// Unmaps all mappings but the first `count`, and reuses their addresses.
void forget_pages_after(unsigned count);

uintptr_t next_shared_address(size_t bytes);  // where to map a file of the driver
bool map_fixed(uintptr_t address, size_t bytes, int protection);

[[noreturn]] void die(const char* message);  // a broken invariant of the runtime: prints the message, exits with 99

// libc's functions; slow ones of the runtime until find_memory_functions(). The names themselves are intercepted.
struct MemoryFunctions {
  void* (*copy)(void*, const void*, size_t);
  void* (*move)(void*, const void*, size_t);
  void* (*set)(void*, int, size_t);
};
extern MemoryFunctions memory_functions;

void copy_bytes(void* to, const void* from, size_t size);
void zero_bytes(void* to, size_t size);
size_t length(const char* text);
bool starts_with(const char* text, const char* prefix);
bool equal(const char* a, const char* b);
bool contains(const char* text, const char* part);

// Formats into a fixed buffer: %s, %d, %u, %x (each 64 bits). Returns the length.
size_t format(char* out, size_t size, const char* pattern, ...);

inline void futex_wait(const void* address, uint32_t expected, const void* timeout = nullptr) {
  sys(SYS_futex, word(address), FUTEX_WAIT, expected, word(timeout));
}
inline void futex_wake(const void* address, int count = 1) { sys(SYS_futex, word(address), FUTEX_WAKE, count); }

}  // namespace lockstep::rt
