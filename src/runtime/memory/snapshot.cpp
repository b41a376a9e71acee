// Saves the program's initial memory and restores it.
#include "runtime/memory/snapshot.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>

#include "runtime/memory/heap.hpp"
#include "runtime/process/libraries.hpp"

namespace lockstep::rt {
namespace {

constexpr size_t kMaxDirty = 1u << 20;
constexpr uint8_t kIdle = 16, kSettled = 4;  // executions: see Snapshot::Dirty

// One line of /proc/self/maps.
struct Mapping {
  uintptr_t begin, end;
  bool writable, shared, executable;
  const char* path;
};

uintptr_t parse_hex(const char*& p) {
  uintptr_t value = 0;
  for (;; ++p) {
    if (*p >= '0' && *p <= '9')
      value = value * 16 + static_cast<uintptr_t>(*p - '0');
    else if (*p >= 'a' && *p <= 'f')
      value = value * 16 + static_cast<uintptr_t>(*p - 'a' + 10);
    else
      return value;
  }
}

template <class F>
void for_each_mapping(F&& visit) {
  constexpr size_t kSize = 4u << 20;
  char* text = static_cast<char*>(map_unsaved_pages(kSize));
  const long fd = sys(SYS_openat, AT_FDCWD, word("/proc/self/maps"), O_RDONLY | O_CLOEXEC);
  size_t size = 0;
  for (long n; fd >= 0 && size < kSize - 1 &&
               (n = sys(SYS_read, fd, word(text + size), static_cast<long>(kSize - 1 - size))) > 0;)
    size += static_cast<size_t>(n);
  sys(SYS_close, fd);
  for (const char* line = text; *line;) {
    Mapping m{};
    const char* p = line;
    m.begin = parse_hex(p);
    ++p;
    m.end = parse_hex(p);
    ++p;
    m.writable = p[1] == 'w';
    m.executable = p[2] == 'x';
    m.shared = p[3] == 's';
    char* end = const_cast<char*>(p);
    while (*end && *end != '\n') ++end;
    const bool last = *end == 0;
    *end = 0;
    const char* path = p;
    for (int fields = 0; *path && fields < 4; ++path)
      if (*path == ' ') ++fields;
    while (*path == ' ') ++path;
    m.path = path;
    visit(m);
    if (last) break;
    line = end + 1;
  }
  unmap_pages(text, kSize);
}

// True for memory of the program other than file contents. Memory is shared only with child processes; but a test that
// calls explore() also has the driver's channels.
bool is_memory(const Mapping& m) {
  if (!m.shared || equal(m.path, "/dev/zero (deleted)") || starts_with(m.path, "/SYSV")) return true;
  return starts_with(m.path, "/memfd:") && !starts_with(m.path, "/memfd:lockstep");
}

bool equal_pages(const char* a, const char* b) {
  const auto *x = reinterpret_cast<const uint64_t*>(a), *y = reinterpret_cast<const uint64_t*>(b);
  size_t i = 0;
  while (i < kPage / sizeof *x && x[i] == y[i]) ++i;
  return i == kPage / sizeof *x;
}

}  // namespace

bool is_shared_memory(uintptr_t address) {
  bool shared = false;
  for_each_mapping([&](const Mapping& m) { shared |= m.shared && address >= m.begin && address < m.end; });
  return shared;
}

void Snapshot::exclude(uintptr_t begin, uintptr_t end) {
  if (excluded_count_ < kMaxExcluded) excluded_[excluded_count_++] = {begin, end};
}

void Snapshot::find_excluded() {
  // ld.so's list of loaded modules must remain valid, and the runtime is not part of the program.
  struct Context {
    Snapshot* snapshot;
  } context{this};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const char* name = base_name(info->dlpi_name);
        if (!contains(name, "ld-linux") && !contains(name, "liblockstep-rt")) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD) continue;
          const uintptr_t begin = (info->dlpi_addr + segment.p_vaddr) & ~(kPage - 1);
          const uintptr_t end = (info->dlpi_addr + segment.p_vaddr + segment.p_memsz + kPage - 1) & ~(kPage - 1);
          static_cast<Context*>(data)->snapshot->exclude(begin, end);
        }
        return 0;
      },
      &context);
  exclude(kArenaBase, kArenaBase + kMaxThreads * kArenaStride);  // thread arenas are emptied, not restored
  exclude(kArenaBase + (kMaxThreads + 1) * kArenaStride, kPrivateEnd);
  // The main thread's control block: the kernel writes to it (rseq, robust list), and libc's part is saved separately
  // with the thread-local variables.
  const uintptr_t tcb = thread_pointer();
  const uintptr_t main_tcb = runtime.threads[0].tls ? runtime.threads[0].tls : tcb;
  exclude((main_tcb & ~(kPage - 1)) - kPage, (main_tcb & ~(kPage - 1)) + 2 * kPage);
}

void Snapshot::add_region(uintptr_t begin, uintptr_t end) {
  for (unsigned i = 0; i < excluded_count_; ++i) {
    const Range& hole = excluded_[i];
    if (hole.end <= begin || hole.begin >= end) continue;
    if (hole.begin > begin) add_region(begin, hole.begin);
    if (hole.end < end) add_region(hole.end, end);
    return;
  }
  if (region_count_ == kMaxRegions) die("too many writable mappings");
  Region& region = regions_[region_count_++];
  region.begin = begin;
  region.end = end;
  region.dirty = static_cast<uint8_t*>(map_unsaved_pages((end - begin) / kPage));
  region.copies = static_cast<char*>(map_unsaved_pages(end - begin));
}

void Snapshot::take() {
  if (!regions_) {
    regions_ = static_cast<Region*>(map_unsaved_pages(sizeof(Region) * kMaxRegions));
    dirty_ = static_cast<Dirty*>(map_unsaved_pages(sizeof(Dirty) * kMaxDirty));
  }
  find_excluded();
  struct Found {
    uintptr_t begin, end;
  };
  constexpr unsigned kMaxFound = 4096;
  Found* found = static_cast<Found*>(map_unsaved_pages(sizeof(Found) * kMaxFound));
  unsigned count = 0;
  const uintptr_t stack_top = runtime.initial_stack;
  for_each_mapping([&](const Mapping& m) {
    if (!m.writable || !is_memory(m) || count == kMaxFound) return;
    if (m.shared && shared_count_ < kMaxShared) shared_[shared_count_++] = {m.begin, m.end};
    // The main thread's stack above the executions' frames: arguments, environment, callers.
    if (stack_top >= m.begin && stack_top < m.end) {
      found[count++] = {stack_top, m.end};
      return;
    }
    if (m.path[0] == '[' && !equal(m.path, "[heap]")) return;
    found[count++] = {m.begin, m.end};
  });
  for (unsigned i = 0; i < count; ++i) {
    // The boot arena is reserved in one piece, but only its used part is initial state.
    const uintptr_t boot = heap.boot_begin();
    if (found[i].begin >= boot && found[i].begin < boot + kArenaStride && boot) {
      if (heap.boot_end() > boot) add_region(boot, heap.boot_end());
      continue;
    }
    add_region(found[i].begin, found[i].end);
  }
  taken_ = true;
  for (unsigned i = 0; i < region_count_; ++i)
    sys(SYS_mprotect, static_cast<long>(regions_[i].begin), static_cast<long>(regions_[i].end - regions_[i].begin),
        PROT_READ);
}

void Snapshot::extend() {
  struct Found {
    uintptr_t begin, end;
  } found[256];
  unsigned count = 0;
  for_each_mapping([&](const Mapping& m) {
    // Code that the runtime has patched stays writable (process/code_patches.hpp) and is not state.
    if (!m.writable || !is_memory(m) || m.executable || m.path[0] == '[' || count == 256) return;
    for (unsigned i = 0; i < region_count_; ++i)
      if (m.begin < regions_[i].end && m.end > regions_[i].begin) return;
    found[count++] = {m.begin, m.end};
  });
  const unsigned before = region_count_;
  for (unsigned i = 0; i < count; ++i) add_region(found[i].begin, found[i].end);
  for (unsigned i = before; i < region_count_; ++i)
    sys(SYS_mprotect, static_cast<long>(regions_[i].begin), static_cast<long>(regions_[i].end - regions_[i].begin),
        PROT_READ);
}

bool Snapshot::handle_write_fault(uintptr_t address) {
  for (unsigned i = 0; i < region_count_; ++i) {
    Region& region = regions_[i];
    if (address < region.begin || address >= region.end) continue;
    const uintptr_t page = (address - region.begin) / kPage;
    if (region.dirty[page] & kDirty) return false;  // writable already: the program caused the fault
    if (dirty_count_ == kMaxDirty) die("too many modified pages");
    char* original = reinterpret_cast<char*>(region.begin + page * kPage);
    char* copy = region.copies + page * kPage;
    const bool dropped = region.dirty[page] & kDropped;
    region.dirty[page] |= kDirty;
    copy_bytes(copy, original, kPage);
    if (sys(SYS_mprotect, word(original), kPage, PROT_READ | PROT_WRITE) != 0) return false;
    dirty_[dirty_count_++] = {original, copy, &region.dirty[page], 0, dropped ? kSettled : uint8_t{0}};
    return true;
  }
  return false;
}

void Snapshot::touch(void* buffer, size_t size) {
  if (!taken_ || !size) return;
  const uintptr_t first = reinterpret_cast<uintptr_t>(buffer) & ~(kPage - 1);
  const uintptr_t last = reinterpret_cast<uintptr_t>(buffer) + size - 1;
  for (uintptr_t page = first; page <= last; page += kPage)
    for (unsigned i = 0; i < region_count_; ++i)
      if (page >= regions_[i].begin && page < regions_[i].end) handle_write_fault(page);
}

void Snapshot::touch_shared() {
  for (unsigned i = 0; i < shared_count_; ++i)
    touch(reinterpret_cast<void*>(shared_[i].begin), shared_[i].end - shared_[i].begin);
}

bool Snapshot::touch_if_tracked(void* maybe, size_t most) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(maybe);
  bool any = false;
  for (unsigned i = 0; taken_ && i < region_count_; ++i) {
    if (address < regions_[i].begin || address >= regions_[i].end) continue;
    const uintptr_t end = address + most < regions_[i].end ? address + most : regions_[i].end;
    for (uintptr_t page = address & ~(kPage - 1); page < end; page += kPage) any |= handle_write_fault(page);
  }
  return any;
}

// True if executions seem to have stopped writing to this page.
bool Snapshot::is_idle(Dirty& dirty) {
  if (!equal_pages(dirty.page, dirty.copy)) {
    ++dirty.busy;
    dirty.idle = 0;
    return false;
  }
  if (++dirty.idle < kIdle) return false;
  *dirty.state = kDropped;
  sys(SYS_mprotect, word(dirty.page), kPage, PROT_READ);
  return true;
}

void Snapshot::restore() {
  size_t kept = 0;
  for (size_t i = 0; i < dirty_count_; ++i) {
    if (UNLIKELY(dirty_[i].busy < kSettled) && is_idle(dirty_[i])) continue;
    if (UNLIKELY(kept != i)) dirty_[kept] = dirty_[i];
    copy_bytes(dirty_[kept].page, dirty_[kept].copy, kPage);
    ++kept;
  }
  dirty_count_ = kept;
}

void Snapshot::copy_dirty(char* out) const {
  for (size_t i = 0; i < dirty_count_; ++i) copy_bytes(out + i * kPage, dirty_[i].page, kPage);
}

void Snapshot::restore_to(const char* copy, size_t count) {
  for (size_t i = 0; i < dirty_count_; ++i)
    copy_bytes(dirty_[i].page, i < count ? copy + i * kPage : dirty_[i].copy, kPage);
}

void Snapshot::absorb() {
  for (size_t i = 0; i < dirty_count_; ++i) copy_bytes(dirty_[i].copy, dirty_[i].page, kPage);
}

}  // namespace lockstep::rt
