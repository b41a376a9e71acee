// The seeds of random executions.
#pragma once
#include <cstdint>

namespace lockstep {

// The seed of execution n depends on `seed` and n only, so a single execution can be repeated, also on another machine.
// The n-th number of SplitMix64 (Steele, Lea & Flood 2014).
inline uint64_t seed_of(uint64_t seed, uint64_t n) {
  uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

}  // namespace lockstep
