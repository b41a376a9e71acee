// Writes facts into the channel.
#include "runtime/process/facts.hpp"

namespace lockstep::rt {

// The driver and the processes of other executions share the table: no entry is ever removed.
void add_fact(FactKind kind, const void* place) {
  FactTable& table = runtime.channel->facts;
  const Fact fact{reinterpret_cast<uint64_t>(place), kind};
  settle_place(kind, place);
  table.kinds.fetch_or(1u << static_cast<unsigned>(kind), std::memory_order_relaxed);
  const uint32_t count = table.count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i)
    if (table.fact[i] == fact) return;
  if (count == FactTable::kMost) return;
  table.fact[count] = fact;
  table.count.store(count + 1, std::memory_order_release);
}

}  // namespace lockstep::rt
