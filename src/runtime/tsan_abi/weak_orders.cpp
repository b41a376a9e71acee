// Notes atomic operations and fences weaker than seq_cst.
#include "runtime/tsan_abi/weak_orders.hpp"

#include "runtime/process/facts.hpp"

namespace lockstep::rt {
namespace {

constexpr unsigned kMostGuards = 1024, kMostLoads = 16;

constinit struct {
  const void* guard[kMostGuards];  // hashed by address
  struct {
    const void* object;
    const void* place;
  } unsettled[kMostLoads];
  unsigned unsettled_count;
} loads{};

const void** find_guard(const void* guard) {
  const uint64_t slot = reinterpret_cast<uint64_t>(guard) * 0x9e37'79b9'7f4a'7c15 >> 54;
  for (unsigned i = 0; i < kMostGuards; ++i) {
    const void** at = &loads.guard[(slot + i) % kMostGuards];
    if (*at == guard || !*at) return at;
  }
  return nullptr;
}

bool is_guard(const void* object) {
  const void** at = find_guard(object);
  return at && *at;
}

void settle(const void* object, const void* place) {
  if (is_guard(object))
    settle_place(FactKind::WeakOrder, place);
  else
    notice(FactKind::WeakOrder, place);
}

}  // namespace

void know_guard(const void* guard) {
  if (const void** at = find_guard(guard)) *at = guard;
}

void note_byte_load(const volatile void* object, uint8_t value, const void* place) {
  const void* o = const_cast<const void*>(object);
  if (value || is_guard(o)) return settle(o, place);
  for (unsigned i = 0; i < loads.unsettled_count; ++i)
    if (loads.unsettled[i].place == place) return;
  if (loads.unsettled_count == kMostLoads) settle_byte_loads();
  loads.unsettled[loads.unsettled_count++] = {o, place};
}

void settle_byte_loads() {
  for (; loads.unsettled_count; --loads.unsettled_count)
    settle(loads.unsettled[loads.unsettled_count - 1].object, loads.unsettled[loads.unsettled_count - 1].place);
}

const Module weak_orders_module = {
    .name = "weak memory orders",
    .after_execution = settle_byte_loads,
};

}  // namespace lockstep::rt
