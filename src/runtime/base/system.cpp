// System calls, formatting and memory functions without libc.
#include "runtime/base/system.hpp"

#include <stdarg.h>
#include <string.h>

namespace lockstep::rt {
namespace {
// Used until the real functions are known, while libraries are being relocated.
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
}  // namespace

constinit MemoryFunctions memory_functions{early_copy, early_copy, early_set};

void die(const char* message) {
  char text[256];
  const size_t n = format(text, sizeof text, "lockstep runtime: %s\n", message);
  sys(SYS_write, 2, word(text), static_cast<long>(n));
  sys(SYS_exit_group, 99);
  __builtin_unreachable();
}

void copy_bytes(void* to, const void* from, size_t size) { memory_functions.copy(to, from, size); }
void zero_bytes(void* to, size_t size) { memory_functions.set(to, 0, size); }
size_t length(const char* text) { return strlen(text); }
bool starts_with(const char* text, const char* prefix) {
  while (*prefix)
    if (*text++ != *prefix++) return false;
  return true;
}

bool equal(const char* a, const char* b) { return strcmp(a, b) == 0; }
bool contains(const char* text, const char* part) { return strstr(text, part) != nullptr; }

size_t format(char* out, size_t size, const char* pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  size_t n = 0;
  auto put = [&](char c) {
    if (n + 1 < size) out[n++] = c;
  };
  auto number = [&](uint64_t value, unsigned base) {
    char digits[20];
    int count = 0;
    do digits[count++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (count) put(digits[--count]);
  };
  for (const char* p = pattern; *p; ++p) {
    if (*p != '%') {
      put(*p);
      continue;
    }
    switch (*++p) {
      case 's':
        for (const char* s = va_arg(arguments, const char*); s && *s; ++s) put(*s);
        break;
      case 'd': {
        const int64_t value = va_arg(arguments, int64_t);
        if (value < 0) put('-');
        number(value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value), 10);
        break;
      }
      case 'u': number(va_arg(arguments, uint64_t), 10); break;
      case 'x': number(va_arg(arguments, uint64_t), 16); break;
      default: put(*p);
    }
  }
  va_end(arguments);
  out[n] = 0;
  return n;
}

}  // namespace lockstep::rt
