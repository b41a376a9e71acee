// Seeds of random executions.
#pragma once
#include <cstdint>

namespace lockstep {

// The seed of execution n depends on nothing else: any one can be run again, or elsewhere, by itself.
// SplitMix64 (Steele, Lea & Flood 2014), jumped to its n-th number.
inline uint64_t seed_of(uint64_t seed, uint64_t n) {
  uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

}  // namespace lockstep
