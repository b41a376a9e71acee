// Facts for the driver that the claim must mention (model/fact.hpp). Each kind is noted once per place.
#pragma once
#include "runtime/base/runtime.hpp"

namespace lockstep::rt {

void add_fact(FactKind kind, const void* place);
inline uint64_t fact_key(FactKind kind, const void* place) {
  return reinterpret_cast<uint64_t>(place) << 5 | static_cast<uint64_t>(kind) | 1ull << 63;
}
inline uint64_t& recent_fact(uint64_t key) { return runtime.channel->facts.recent[key * 0x9e37'79b9'7f4a'7c15 >> 55]; }
inline bool recently_noticed(FactKind kind, const void* place) {
  const uint64_t key = fact_key(kind, place);
  return recent_fact(key) == key;
}
inline void settle_place(FactKind kind, const void* place) {  // marks it as noted, or as not to be noted
  const uint64_t key = fact_key(kind, place);
  recent_fact(key) = key;
}
inline void notice(FactKind kind, const void* place = nullptr) {
  if (UNLIKELY(!recently_noticed(kind, place))) add_fact(kind, place);
}

}  // namespace lockstep::rt
