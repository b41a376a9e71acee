// Hashes the values of registers and memory, to compare states.
#pragma once
#include "runtime/base/system.hpp"

namespace lockstep::rt {

inline constexpr size_t kDeepestLoop = 64 << 10;  // bytes of stack above a loop's frame that are compared

class StateHash {
 public:
  void add(uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15ull;
    hash_ ^= hash_ >> 29;
  }
  void add(const void* bytes, size_t size) {  // whole words
    const auto* p = static_cast<const uint64_t*>(bytes);
    for (size_t i = 0; i < size / sizeof *p; ++i) add(p[i]);
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 1;
};

}  // namespace lockstep::rt
