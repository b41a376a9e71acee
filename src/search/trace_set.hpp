// A set of 64-bit fingerprints: one per trace seen, so nothing but the numbers themselves.
#pragma once
#include <cstdint>
#include <vector>

#include "search/state.hpp"

namespace lockstep {

class TraceSet {
 public:
  bool insert(uint64_t key) {  // false: was there already
    if (key == 0) key = 1;
    if (2 * (size_ + 1) > slots_.size()) grow();
    if (!put(key)) return false;
    ++size_;
    return true;
  }
  uint64_t size() const { return size_; }
  void save(StateWriter& out) const { out.put_all(slots_); }
  void load(StateReader& in) {
    *this = {};
    for (const uint64_t key : in.get_all<uint64_t>())
      if (key != 0) insert(key);
  }
  uint64_t memory_bytes() const { return slots_.size() * sizeof(uint64_t); }

 private:
  bool put(uint64_t key) {
    size_t slot = key & (slots_.size() - 1);  // fingerprints are random already
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
      if (slots_[slot] == key) return false;
    slots_[slot] = key;
    return true;
  }
  void grow() {
    std::vector<uint64_t> old(slots_.empty() ? 1024 : 2 * slots_.size(), 0);
    old.swap(slots_);
    for (const uint64_t key : old)
      if (key != 0) put(key);
  }

  std::vector<uint64_t> slots_;  // 0: free; a power of two of them
  uint64_t size_ = 0;
};

}  // namespace lockstep
