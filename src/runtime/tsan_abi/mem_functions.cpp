// memcpy, memmove and memset of instrumented code: compilers leave them calls, so they are seen here as accesses to
// ranges. Calls of the libraries for themselves are not looked at.
#include <dlfcn.h>

#include "runtime/detect/accesses.hpp"

using namespace lockstep;
using namespace lockstep::rt;

namespace lockstep::rt {
namespace {

// Until the real ones are known: called while libraries are being relocated.
void* early_copy(void* to, const void* from, size_t size) {
  auto* out = static_cast<volatile char*>(to);
  const auto* in = static_cast<const volatile char*>(from);
  if (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from) >= size)
    for (size_t i = 0; i < size; ++i) out[i] = in[i];
  else
    while (size--) out[size] = in[size];
  return to;
}
void* early_set(void* to, int value, size_t size) {
  auto* out = static_cast<volatile char*>(to);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<char>(value);
  return to;
}

bool looked_at(const void* caller) { return watched() && !from_library(caller); }
constexpr uint8_t kRead = RaceAccess::kRange, kWrite = RaceAccess::kRange | RaceAccess::kWrite;

}  // namespace

void* (*real_memcpy)(void*, const void*, size_t) = early_copy;
void* (*real_memmove)(void*, const void*, size_t) = early_copy;
void* (*real_memset)(void*, int, size_t) = early_set;

void find_memory_functions() {
  real_memcpy = reinterpret_cast<decltype(real_memcpy)>(dlsym(RTLD_NEXT, "memcpy"));
  real_memmove = reinterpret_cast<decltype(real_memmove)>(dlsym(RTLD_NEXT, "memmove"));
  real_memset = reinterpret_cast<decltype(real_memset)>(dlsym(RTLD_NEXT, "memset"));
}

}  // namespace lockstep::rt

LOCKSTEP_EXPORT void* memcpy(void* to, const void* from, size_t size) {
  if (looked_at(__builtin_return_address(0))) {
    range_access(from, size, kRead, __builtin_return_address(0));
    range_access(to, size, kWrite, __builtin_return_address(0));
  }
  return real_memcpy(to, from, size);
}
LOCKSTEP_EXPORT void* memmove(void* to, const void* from, size_t size) {
  if (looked_at(__builtin_return_address(0))) {
    range_access(from, size, kRead, __builtin_return_address(0));
    range_access(to, size, kWrite, __builtin_return_address(0));
  }
  return real_memmove(to, from, size);
}
LOCKSTEP_EXPORT void* memset(void* to, int value, size_t size) {
  if (looked_at(__builtin_return_address(0))) range_access(to, size, kWrite, __builtin_return_address(0));
  return real_memset(to, value, size);
}
