#include "runtime/base/system.hpp"

#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

namespace lockstep::rt {
namespace {
uintptr_t next_private = kPrivateBase;
constexpr unsigned kMostOwnPages = 4096;
OwnPages given_out[kMostOwnPages];
unsigned given_out_count;
bool pinned;

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
}  // namespace

void* (*real_memcpy)(void*, const void*, size_t) = early_copy;
void* (*real_memmove)(void*, const void*, size_t) = early_copy;
void* (*real_memset)(void*, int, size_t) = early_set;

bool map_fixed(uintptr_t address, size_t bytes, int protection) {
  const long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  return sys(SYS_mmap, static_cast<long>(address), static_cast<long>(bytes), protection, flags, -1, 0) ==
         static_cast<long>(address);
}

uintptr_t next_shared_address(size_t bytes) {
  const uintptr_t address = next_private;
  next_private += (bytes + 2 * 4096 - 1) & ~uintptr_t{4095};  // a gap between mappings catches overruns
  return address;
}

namespace {
void* map_own(size_t bytes, bool saved) {
  const uintptr_t address = next_shared_address(bytes);
  if (next_private > kPrivateEnd || !map_fixed(address, bytes, PROT_READ | PROT_WRITE)) die("out of address space");
  if (given_out_count == kMostOwnPages) die("too many mappings");
  given_out[given_out_count++] = {address, (bytes + 4095) & ~size_t{4095}, saved};
  return reinterpret_cast<void*>(address);
}
}  // namespace

void* map_pages(size_t bytes) { return map_own(bytes, true); }
void* map_unsaved_pages(size_t bytes) { return map_own(bytes, false); }

void unmap_pages(const void* pages, size_t bytes) {
  if (pinned) return;
  sys(SYS_munmap, word(pages), static_cast<long>(bytes));
  for (unsigned i = given_out_count; i-- > 0;) {
    if (given_out[i].begin != reinterpret_cast<uintptr_t>(pages)) continue;
    for (--given_out_count; i < given_out_count; ++i) given_out[i] = given_out[i + 1];
    const OwnPages& last = given_out[given_out_count - 1];
    next_private = last.begin + last.bytes + 4096;  // addresses are not used up by what comes and goes
    return;
  }
}

const OwnPages* own_pages(unsigned* count) {
  *count = given_out_count;
  return given_out;
}

void pin_pages(bool on) { pinned = on; }

void forget_pages_after(unsigned count) {
  if (given_out_count == count) return;
  next_private = given_out[count].begin;
  for (; given_out_count > count; --given_out_count)
    sys(SYS_munmap, static_cast<long>(given_out[given_out_count - 1].begin),
        static_cast<long>(given_out[given_out_count - 1].bytes));
}

void die(const char* message) {
  char text[256];
  const size_t n = format(text, sizeof text, "lockstep runtime: %s\n", message);
  sys(SYS_write, 2, word(text), static_cast<long>(n));
  sys(SYS_exit_group, 99);
  __builtin_unreachable();
}

void copy_bytes(void* to, const void* from, size_t size) { real_memcpy(to, from, size); }
void zero_bytes(void* to, size_t size) { real_memset(to, 0, size); }
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
