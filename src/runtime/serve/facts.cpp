#include "runtime/root.hpp"

namespace lockstep::rt {

// The table is shared with the driver and with the processes of other executions: nothing in it is ever taken back.
void notice(FactKind kind, const void* place) {
  FactTable& table = runtime.channel->facts;
  const Fact fact{reinterpret_cast<uint64_t>(place), kind};
  const uint64_t key = fact.place << 5 | static_cast<uint64_t>(kind) | 1ull << 63;
  uint64_t& recent = table.recent[key * 0x9e37'79b9'7f4a'7c15 >> 55];
  if (recent == key) return;
  recent = key;
  table.kinds.fetch_or(1u << static_cast<unsigned>(kind), std::memory_order_relaxed);
  const uint32_t count = table.count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i)
    if (table.fact[i] == fact) return;
  if (count == FactTable::kMost) return;
  table.fact[count] = fact;
  table.count.store(count + 1, std::memory_order_release);
}

}  // namespace lockstep::rt
