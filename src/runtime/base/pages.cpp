// Allocates and lists the runtime's own pages (base/system.hpp).
#include <sys/mman.h>

#include "runtime/base/system.hpp"

namespace lockstep::rt {
namespace {

constexpr unsigned kMostOwnPages = 4096;
constinit struct {
  OwnPages mapping[kMostOwnPages];
  unsigned count;
  uintptr_t used;  // bytes of the address range, from kPrivateBase on
  bool pinned;
} pages{};

}  // namespace

bool map_fixed(uintptr_t address, size_t bytes, int protection) {
  const long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  return sys(SYS_mmap, static_cast<long>(address), static_cast<long>(bytes), protection, flags, -1, 0) ==
         static_cast<long>(address);
}

uintptr_t next_shared_address(size_t bytes) {
  const uintptr_t address = kPrivateBase + pages.used;
  pages.used += (bytes + 2 * 4096 - 1) & ~uintptr_t{4095};  // a gap between mappings catches overruns
  return address;
}

static void* map_own(size_t bytes, bool saved) {
  const uintptr_t address = next_shared_address(bytes);
  if (kPrivateBase + pages.used > kPrivateEnd || !map_fixed(address, bytes, PROT_READ | PROT_WRITE))
    die("out of address space");
  if (pages.count == kMostOwnPages) die("too many mappings");
  pages.mapping[pages.count++] = {address, (bytes + 4095) & ~size_t{4095}, saved};
  return reinterpret_cast<void*>(address);
}

void* map_pages(size_t bytes) { return map_own(bytes, true); }
void* map_unsaved_pages(size_t bytes) { return map_own(bytes, false); }

void unmap_pages(const void* begin, size_t bytes) {
  if (pages.pinned) return;
  sys(SYS_munmap, word(begin), static_cast<long>(bytes));
  for (unsigned i = pages.count; i-- > 0;) {
    if (pages.mapping[i].begin != reinterpret_cast<uintptr_t>(begin)) continue;
    for (--pages.count; i < pages.count; ++i) pages.mapping[i] = pages.mapping[i + 1];
    const OwnPages& last = pages.mapping[pages.count - 1];
    pages.used = last.begin + last.bytes + 4096 - kPrivateBase;  // temporary mappings do not use up addresses
    return;
  }
}

const OwnPages* own_pages(unsigned* count) {
  *count = pages.count;
  return pages.mapping;
}

void pin_pages(bool on) { pages.pinned = on; }

void forget_pages_after(unsigned count) {
  if (pages.count == count) return;
  pages.used = pages.mapping[count].begin - kPrivateBase;
  for (; pages.count > count; --pages.count)
    sys(SYS_munmap, static_cast<long>(pages.mapping[pages.count - 1].begin),
        static_cast<long>(pages.mapping[pages.count - 1].bytes));
}

}  // namespace lockstep::rt
