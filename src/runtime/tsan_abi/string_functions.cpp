// The C library's functions on strings and blocks that the program calls: recorded as accesses to ranges, like memcpy.
// The result of a function shows what it has read or written.
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

#include "runtime/base/real_function.hpp"
#include "runtime/checks/library_accesses.hpp"

using namespace lockstep;
using namespace lockstep::rt;

extern "C" {
size_t strlen(const char*) noexcept;
char* strcpy(char*, const char*) noexcept;
char* stpcpy(char*, const char*) noexcept;
char* strncpy(char*, const char*, size_t) noexcept;
char* strcat(char*, const char*) noexcept;
int strcmp(const char*, const char*) noexcept;
int strncmp(const char*, const char*, size_t) noexcept;
int memcmp(const void*, const void*, size_t) noexcept;
int bcmp(const void*, const void*, size_t) noexcept;
char* strdup(const char*) noexcept;
}

namespace {

// The number of compared characters of two strings.
size_t compared(const char* a, const char* b, size_t most) {
  size_t size = 0;
  while (size < most && a[size] == b[size] && a[size]) ++size;
  return size < most ? size + 1 : most;
}

int print(const Look& look, char* to, size_t size, const char* text, va_list list) {
  static int (*real)(char*, size_t, const char*, va_list);
  if (UNLIKELY(!real)) real = reinterpret_cast<decltype(real)>(dlsym(RTLD_NEXT, "vsnprintf"));
  if (look && size) look.writes(to, 1);
  const int wanted = real(to, size, text, list);
  if (look && size && wanted > 0)
    look.writes(to, static_cast<size_t>(wanted) < size ? static_cast<size_t>(wanted) + 1 : size);
  return wanted;
}
constexpr size_t kAnySize = 0x7fffffff;

}  // namespace

LOCKSTEP_EXPORT size_t strlen(const char* a) noexcept {
  LOCKSTEP_LOOK;
  if (look) look.reads_string(a);
  return LOCKSTEP_REAL(strlen)(a);
}
LOCKSTEP_EXPORT char* strcpy(char* to, const char* from) noexcept {
  LOCKSTEP_LOOK;
  if (look) look.reads_string(from), look.writes(to, length(from) + 1);
  return LOCKSTEP_REAL(strcpy)(to, from);
}
LOCKSTEP_EXPORT char* stpcpy(char* to, const char* from) noexcept {
  LOCKSTEP_LOOK;
  if (look) look.reads_string(from), look.writes(to, length(from) + 1);
  return LOCKSTEP_REAL(stpcpy)(to, from);
}
LOCKSTEP_EXPORT char* strncpy(char* to, const char* from, size_t size) noexcept {
  LOCKSTEP_LOOK;
  if (look) look.reads_string(from, size), look.writes(to, size);
  return LOCKSTEP_REAL(strncpy)(to, from, size);
}
LOCKSTEP_EXPORT char* strcat(char* to, const char* from) noexcept {
  LOCKSTEP_LOOK;
  if (look) look.reads_string(from), look.reads_string(to), look.writes(to + length(to), length(from) + 1);
  return LOCKSTEP_REAL(strcat)(to, from);
}
LOCKSTEP_EXPORT int strcmp(const char* a, const char* b) noexcept {
  LOCKSTEP_LOOK;
  if (look) {
    const size_t size = compared(a, b, kAnySize);
    look.reads(a, size), look.reads(b, size);
  }
  return LOCKSTEP_REAL(strcmp)(a, b);
}
LOCKSTEP_EXPORT int strncmp(const char* a, const char* b, size_t most) noexcept {
  LOCKSTEP_LOOK;
  if (look) {
    const size_t size = compared(a, b, most);
    look.reads(a, size), look.reads(b, size);
  }
  return LOCKSTEP_REAL(strncmp)(a, b, most);
}
LOCKSTEP_EXPORT int memcmp(const void* a, const void* b, size_t size) noexcept {
  LOCKSTEP_LOOK;
  if (look) look.reads(a, size), look.reads(b, size);
  return LOCKSTEP_REAL(memcmp)(a, b, size);
}
LOCKSTEP_EXPORT int bcmp(const void* a, const void* b, size_t size) noexcept {
  LOCKSTEP_LOOK;
  if (look) look.reads(a, size), look.reads(b, size);
  return LOCKSTEP_REAL(bcmp)(a, b, size);
}

// C++ headers declare these with several types, so they have other names here.
#define LOCKSTEP_SEARCH(name, parameters, arguments, accesses)                             \
  LOCKSTEP_EXPORT const char* lockstep_##name parameters noexcept asm(#name);              \
  LOCKSTEP_EXPORT const char* lockstep_##name parameters noexcept {                        \
    static const char*(*real)parameters;                                                   \
    if (UNLIKELY(!real)) real = reinterpret_cast<decltype(real)>(dlsym(RTLD_NEXT, #name)); \
    LOCKSTEP_LOOK;                                                                         \
    const char* found = real arguments;                                                    \
    if (look) accesses;                                                                    \
    return found;                                                                          \
  }
LOCKSTEP_SEARCH(memchr, (const char* a, int value, size_t size), (a, value, size),
                look.reads(a, found ? static_cast<size_t>(found - a) + 1 : size))
LOCKSTEP_SEARCH(strchr, (const char* a, int value), (a, value),
                look.reads(a, found ? static_cast<size_t>(found - a) + 1 : length(a) + 1))
LOCKSTEP_SEARCH(strrchr, (const char* a, int value), (a, value), look.reads_string(a))
LOCKSTEP_SEARCH(strstr, (const char* a, const char* part), (a, part),
                (look.reads_string(part),
                 look.reads(a, found ? static_cast<size_t>(found - a) + length(part) : length(a) + 1)))

LOCKSTEP_EXPORT char* strdup(const char* a) noexcept {
  LOCKSTEP_LOOK;
  if (look) look.reads_string(a);
  return LOCKSTEP_REAL(strdup)(a);
}

LOCKSTEP_EXPORT int vsnprintf(char* to, size_t size, const char* text, va_list list) noexcept {
  return print(Look(__builtin_return_address(0)), to, size, text, list);
}
LOCKSTEP_EXPORT int vsprintf(char* to, const char* text, va_list list) noexcept {
  return print(Look(__builtin_return_address(0)), to, kAnySize, text, list);
}
LOCKSTEP_EXPORT int snprintf(char* to, size_t size, const char* text, ...) noexcept {
  va_list list;
  va_start(list, text);
  const int wanted = print(Look(__builtin_return_address(0)), to, size, text, list);
  va_end(list);
  return wanted;
}
LOCKSTEP_EXPORT int sprintf(char* to, const char* text, ...) noexcept {
  va_list list;
  va_start(list, text);
  const int wanted = print(Look(__builtin_return_address(0)), to, kAnySize, text, list);
  va_end(list);
  return wanted;
}
