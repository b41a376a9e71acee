// Tracked memory: its plain accesses are scheduling points in this execution, by address (Bindal, Bansal & Lal 2013:
// only the chosen variables are tracked).
#pragma once
#include "model/plan.hpp"

namespace lockstep::rt {

class Tracked {
 public:
  // `looks`: check every access, even if nothing is tracked.
  void begin(const TrackedRange* ranges, uint32_t count, bool looks) {
    on_ = count != 0 || looks;
    count_ = count < kMaxTracked ? count : kMaxTracked;
    low_ = ~uint64_t{0};
    high_ = 0;
    for (uint32_t i = 0; i < count_; ++i) {
      range_[i] = ranges[i];
      if (ranges[i].address < low_) low_ = ranges[i].address;
      if (ranges[i].address + ranges[i].size > high_) high_ = ranges[i].address + ranges[i].size;
    }
  }
  bool on() const { return on_; }
  bool chosen() const { return count_ != 0; }  // the plan tracks some variables
  bool touches(uint64_t address, uint64_t size) const {
    if (address >= high_ || address + size <= low_) return false;
    for (uint32_t i = 0; i < count_; ++i)
      if (address < range_[i].address + range_[i].size && range_[i].address < address + size) return true;
    return false;
  }

 private:
  bool on_ = false;
  uint32_t count_ = 0;
  uint64_t low_ = 0, high_ = 0;
  TrackedRange range_[kMaxTracked]{};
};
inline constinit Tracked tracked{};

}  // namespace lockstep::rt
