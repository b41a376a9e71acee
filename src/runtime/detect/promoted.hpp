// Places in the program whose plain accesses are scheduling points: accesses found racy in earlier executions (CHESS
// section 3.5). Which ones the driver says; they stay the same while a search runs.
#pragma once
#include "model/channel.hpp"
#include "runtime/base.hpp"

namespace lockstep::rt {

class Promoted {
 public:
  void update(const Channel& channel) {
    const uint32_t version = channel.promoted_version.load(std::memory_order_acquire);
    if (version == version_) return;
    version_ = version;
    count_ = 0;
    zero_bytes(slots_, sizeof slots_);
    for (uint32_t i = 0; i < channel.promoted_count && i < kMaxPromoted; ++i) add(channel.promoted[i]);
  }
  bool any() const { return count_ != 0; }
  bool contains(uint64_t pc) const {
    for (uint32_t slot = slot_of(pc); slots_[slot]; slot = (slot + 1) % kSlots)
      if (slots_[slot] == pc) return true;
    return false;
  }

 private:
  static constexpr uint32_t kSlots = 2 * kMaxPromoted;
  static uint32_t slot_of(uint64_t pc) { return static_cast<uint32_t>(pc * 0x9e3779b97f4a7c15ull >> 48) % kSlots; }
  void add(uint64_t pc) {
    uint32_t slot = slot_of(pc);
    while (slots_[slot] && slots_[slot] != pc) slot = (slot + 1) % kSlots;
    if (!slots_[slot]) ++count_;
    slots_[slot] = pc;
  }
  uint64_t slots_[kSlots];
  uint32_t count_, version_;
};

}  // namespace lockstep::rt
