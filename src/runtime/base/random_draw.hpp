// Random numbers of one execution: SplitMix64 (Steele, Lea & Flood 2014). The first draws are good for any seed.
#pragma once
#include <cstdint>

namespace lockstep::rt {

class Draw {
 public:
  explicit Draw(uint64_t seed = 0) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((next() >> 32) * n >> 32); }

 private:
  uint64_t state_;
};

}  // namespace lockstep::rt
