// The hash functions of fingerprints.
#pragma once
#include <cstdint>

#include "model/trace.hpp"

namespace lockstep {

// Both halves of the 128-bit product: one multiplication mixes every bit of both factors.
inline uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline void absorb(uint64_t& f, uint64_t what) { f = mix(f ^ what ^ 0x9e3779b97f4a7c15ull, 0xd6e8feb86659fd93ull); }
// The state in which a step found an object.
inline void absorb(uint64_t& f, uint64_t past, uint64_t name) { absorb(f, past + name); }

// What the step did, apart from its objects. Excludes flags that only describe the storage of the record.
inline uint64_t description(const Step& step) {
  const auto flags = static_cast<uint64_t>(step.flags & (Step::kWrite | Step::kTimedOut));
  const uint64_t choice = step.is_choice() ? step.taken() : 0;
  return index_of(step.thread) | static_cast<uint64_t>(step.kind) << 16 | flags << 24 | choice << 32 | 1ull << 63;
}

// An object and what is done to it.
inline uint64_t access_name(ObjectId object, bool write) {
  return static_cast<uint64_t>(object) << 1 | static_cast<uint64_t>(write);
}

}  // namespace lockstep
