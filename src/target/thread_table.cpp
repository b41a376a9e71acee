#include "target/thread_table.hpp"

#include <algorithm>
#include <new>
#include "model/text.hpp"

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
