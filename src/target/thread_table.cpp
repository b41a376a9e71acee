// Creates and merges thread tables.
#include "target/thread_table.hpp"

#include <sched.h>

#include <algorithm>
#include <new>
#include "model/text_lines.hpp"

namespace lockstep {

Result<SharedMemory> make_thread_table(const std::vector<ThreadTable::Entry>& threads) {
  auto table = SharedMemory::create("lockstep-threads", sizeof(ThreadTable));
  if (!table) return table.error();
  auto* names = new (table->data()) ThreadTable{};
  names->entry[0] = {0, 0};
  names->count.store(1);
  for (size_t i = 1; i < threads.size() && i < kMaxThreads; ++i) {
    names->entry[i] = threads[i];
    names->count.store(static_cast<uint32_t>(i) + 1);
  }
  return table;
}

bool add_threads(const std::vector<ThreadTable::Entry>& threads, ThreadTable& table) {
  for (uint32_t free = 0; !table.lock.compare_exchange_weak(free, 1, std::memory_order_acquire); free = 0)
    sched_yield();
  const uint32_t before = table.count.load(std::memory_order_relaxed);
  std::vector<uint16_t> id(threads.size());  // their ids in this table
  for (size_t i = 1; i < threads.size(); ++i) {
    // An entry comes after the entry of its creator.
    const ThreadTable::Entry entry{threads[i].parent < i ? id[threads[i].parent] : uint16_t{0}, threads[i].child};
    const uint32_t count = table.count.load(std::memory_order_relaxed);
    uint32_t here = 1;
    while (here < count && (table.entry[here].parent != entry.parent || table.entry[here].child != entry.child)) ++here;
    if (here >= kMaxThreads) break;
    table.entry[here] = entry;
    if (here == count) table.count.store(here + 1, std::memory_order_release);
    id[i] = static_cast<uint16_t>(here);
  }
  const bool grew = table.count.load(std::memory_order_relaxed) > before;
  table.lock.store(0, std::memory_order_release);
  return grew;
}

std::string name_given_to(uint64_t address, const ThreadTable& table) {
  const ObjectNames& names = table.names;
  for (uint32_t i = names.count.load(std::memory_order_acquire); i-- > 0;) {
    const ObjectNames::Entry& e = names.entry[i];
    const uint64_t offset = address - e.address;
    if (offset < std::max<uint64_t>(e.size, 1)) return e.text + offset_suffix(offset);
  }
  return {};
}

}  // namespace lockstep
