// Accesses and allocations that the C++ library makes for the program (redirect.hpp). Their place is that of the
// program's call.
#include <dlfcn.h>
#include <string.h>

#include "runtime/base/runtime.hpp"
#include "runtime/checks/accesses.hpp"

using namespace lockstep;
using namespace lockstep::rt;

#define LOCKSTEP_HOOK extern "C" __attribute__((visibility("hidden")))
#define LOCKSTEP_LIBRARY_ACCESSES(n)                                                                   \
  LOCKSTEP_HOOK void lockstep_library_read##n(void* a) { plain_access<n, 0>(a, self().library_call); } \
  LOCKSTEP_HOOK void lockstep_library_write##n(void* a) { plain_access<n, kWrite>(a, self().library_call); }
LOCKSTEP_LIBRARY_ACCESSES(1)
LOCKSTEP_LIBRARY_ACCESSES(2)
LOCKSTEP_LIBRARY_ACCESSES(4)
LOCKSTEP_LIBRARY_ACCESSES(8)
LOCKSTEP_LIBRARY_ACCESSES(16)

LOCKSTEP_HOOK void lockstep_library_nothing() {}
LOCKSTEP_HOOK void lockstep_library_read_range(const void* a, size_t size) {
  range_access(a, size, kRangeRead, self().library_call);
}
LOCKSTEP_HOOK void lockstep_library_write_range(void* a, size_t size) {
  range_access(a, size, kRangeWrite, self().library_call);
}
LOCKSTEP_HOOK void* lockstep_library_memcpy(void* to, const void* from, size_t size) {
  lockstep_library_read_range(from, size);
  lockstep_library_write_range(to, size);
  return memory_functions.copy(to, from, size);
}
LOCKSTEP_HOOK void* lockstep_library_memmove(void* to, const void* from, size_t size) {
  lockstep_library_read_range(from, size);
  lockstep_library_write_range(to, size);
  return memory_functions.move(to, from, size);
}
LOCKSTEP_HOOK void* lockstep_library_memset(void* to, int value, size_t size) {
  lockstep_library_write_range(to, size);
  return memory_functions.set(to, value, size);
}
LOCKSTEP_HOOK const void* lockstep_library_memchr(const void* a, int value, size_t size) {
  const void* found = memchr(a, value, size);
  lockstep_library_read_range(
      a, found ? static_cast<size_t>(static_cast<const char*>(found) - static_cast<const char*>(a)) + 1 : size);
  return found;
}
LOCKSTEP_HOOK int lockstep_library_memcmp(const void* a, const void* b, size_t size) {
  lockstep_library_read_range(a, size);
  lockstep_library_read_range(b, size);
  return memcmp(a, b, size);
}
LOCKSTEP_HOOK size_t lockstep_library_strlen(const char* a) {
  const size_t size = length(a);
  lockstep_library_read_range(a, size + 1);
  return size;
}

// libstdc++ throws the exceptions; every program that gets here has loaded it.
LOCKSTEP_HOOK void lockstep_library_throw_logic_error(const char* text) {
  reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "_ZSt19__throw_logic_errorPKc"))(text);
}
LOCKSTEP_HOOK void lockstep_library_throw_length_error(const char* text) {
  reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "_ZSt20__throw_length_errorPKc"))(text);
}
// The message has up to three values, all of one word.
LOCKSTEP_HOOK void lockstep_library_throw_out_of_range(const char* text, size_t a, size_t b, size_t c) {
  reinterpret_cast<void (*)(const char*, ...)>(dlsym(RTLD_DEFAULT, "_ZSt24__throw_out_of_range_fmtPKcz"))(text, a, b,
                                                                                                          c);
}
