// Finds leaks: blocks that nothing points to when the program has ended. Pointers are searched in its variables, in the
// stacks and thread-local variables of live threads, and in blocks that are themselves pointed to. Any word that looks
// like a pointer into a block counts, so no block is called a leak that could still be freed.
#include <link.h>

#include "runtime/base/runtime.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/detect/call_tree.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
namespace {

constexpr size_t kMostReachable = 1u << 22;

struct Search {
  const Heap::Record** open;  // reached, not yet searched
  size_t open_count;
  uint8_t* reached[kMaxThreads];  // by thread and serial number

  void look(uintptr_t begin, uintptr_t end) {
    for (uintptr_t at = (begin + 7) & ~uintptr_t{7}; at + 8 <= end; at += 8) {
      const uint64_t value = *reinterpret_cast<const volatile uint64_t*>(at);
      if (!in_arena(reinterpret_cast<void*>(value))) continue;
      const Heap::Record* record = heap.record_of(value);
      if (!record || !Heap::live(*record)) continue;
      const uint64_t owner = (record->begin - kArenaBase) / kArenaStride;
      uint32_t count = 0;
      const Heap::Record* all = heap.records(ThreadId(static_cast<uint16_t>(owner)), &count);
      if (!reached[owner]) reached[owner] = static_cast<uint8_t*>(map_pages(count));
      uint8_t& mark = reached[owner][record - all];
      if (mark || open_count == kMostReachable) continue;
      mark = 1;
      open[open_count++] = record;
    }
  }
};

int look_at_variables(dl_phdr_info* info, size_t, void* data) {
  if (contains(info->dlpi_name, "liblockstep-rt") || contains(info->dlpi_name, "linux-vdso")) return 0;
  uintptr_t relro_begin = 0, relro_end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
      relro_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      relro_end = relro_begin + info->dlpi_phdr[i].p_memsz;
    }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_W)) continue;
    uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    const uintptr_t end = begin + segment.p_memsz;
    if (begin >= relro_begin && begin < relro_end) begin = relro_end;
    if (begin < end) static_cast<Search*>(data)->look(begin, end);
  }
  return 0;
}

void look_at_thread(Thread& t, Search& search, uintptr_t stack_pointer) {
  const uintptr_t top = t.id == kMainThread ? runtime.initial_stack : reinterpret_cast<uintptr_t>(t.stack_top);
  if (stack_pointer && stack_pointer < top && top - stack_pointer < (64ull << 20)) search.look(stack_pointer, top);
  for (unsigned i = 0; i < t.tls_block_count; ++i) {
    const TlsBlock& block = t.tls_blocks[i];
    search.look(reinterpret_cast<uintptr_t>(block.address), reinterpret_cast<uintptr_t>(block.address) + block.size);
  }
  for (ThreadDestructor* d = t.destructors; d; d = d->next)
    search.look(reinterpret_cast<uintptr_t>(&d->object), reinterpret_cast<uintptr_t>(&d->object + 1));
  if (t.key_values)
    search.look(reinterpret_cast<uintptr_t>(t.key_values), reinterpret_cast<uintptr_t>(t.key_values + t.key_high));
}

}  // namespace

void find_leaks() {
  auto* open = static_cast<const Heap::Record**>(map_pages(sizeof(void*) * kMostReachable));
  static Search search;
  search = {open, 0, {}};
  Scheduler& s = scheduler();
  {
    Uncontrolled guard;
    dl_iterate_phdr(look_at_variables, &search);
  }
  search.look(heap.boot_begin(), heap.boot_end());
  Thread& me = self();
  look_at_thread(me, search, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  s.live.for_each(s.words(), [&](ThreadId t) {
    if (&s.thread(t) != &me)
      look_at_thread(s.thread(t), search, reinterpret_cast<uintptr_t>(s.thread(t).stack_pointer));
  });
  while (search.open_count) {
    const Heap::Record* record = search.open[--search.open_count];
    search.look(record->begin, record->begin + Heap::size_of(*record));
  }
  for (uint32_t i = 0; i < s.created; ++i) {
    const ThreadId t = s.born[i];
    uint32_t count = 0;
    const Heap::Record* all = heap.records(t, &count);
    const uint8_t* reached = search.reached[index_of(t)];
    for (uint32_t k = 0; k < count; ++k)
      // Allocations that libraries made for themselves do not count.
      if (Heap::live(all[k]) && !(reached && reached[k]) && all[k].where &&
          !from_library(reinterpret_cast<void*>(call_tree.pc(all[k].where))))
        write_allocation(all[k], Allocation::kLeaked);
    if (reached) unmap_pages(reached, count);
  }
  unmap_pages(open, sizeof(void*) * kMostReachable);
}

}  // namespace lockstep::rt
