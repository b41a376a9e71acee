// Happens-before state caching (CHESS, Musuvathi et al. 2008): executions with the same happens-before order so far are
// in the same state, so what follows needs to be explored only once.
//
// Under a bound this holds only for visits that may still spend as much. The thread that ran last decides which
// switches are free, and a visit that has spent less may continue where the earlier one had to stop. So the thread is
// part of the key, and the value is the smallest amount spent.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/fingerprint.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

class StateCache {
 public:
  // True: an earlier visit had spent no more. Otherwise remembers this visit.
  bool visited(const Fingerprint& order, ThreadId last, uint32_t spent) {
    const uint64_t key = order.low + (index_of(last) + 1) * 0x9e3779b97f4a7c15ull;
    const uint64_t check = order.high | 1;  // 0: free slot
    const bool room = 2 * (size_ + 1) <= slots_.size() || grow();
    if (slots_.empty()) return false;
    size_t at = key & (slots_.size() - 1);
    for (; slots_[at].check != 0; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.key != key || slot.check != check) continue;
      if (slot.spent <= spent) return true;
      slot.spent = spent;
      return false;
    }
    if (!room) return false;
    slots_[at] = {key, check, spent};
    ++size_;
    return false;
  }
  // Beyond the limit no new states are remembered; pruning by known states stays sound.
  void limit(uint64_t bytes) { limit_ = bytes; }
  void save(StateWriter& out) const { out.put_all(slots_); }
  void load(StateReader& in) {
    slots_ = in.get_all<Slot>();
    if ((slots_.size() & (slots_.size() - 1)) != 0) in.reject();
    if (!in.good()) slots_.clear();
    size_ = 0;
    for (const Slot& slot : slots_) size_ += slot.check != 0;
    if (!slots_.empty() && size_ == slots_.size()) in.reject();
  }
  uint64_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    uint64_t key = 0, check = 0;
    uint32_t spent = 0;
  };
  bool grow() {
    if (2 * slots_.size() * sizeof(Slot) > limit_) return size_ + 1 < slots_.size() / 8 * 7;
    std::vector<Slot> old(slots_.empty() ? 1024 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.check == 0) continue;
      size_t at = slot.key & (slots_.size() - 1);
      while (slots_[at].check != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
    return true;
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
  uint64_t limit_ = uint64_t{1} << 30;
};

}  // namespace lockstep
