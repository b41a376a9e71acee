// Hardware watchpoints of the thread that runs the fibers: the processor raises SIGTRAP right after an instruction that
// reads or writes one of a few words.
#pragma once
#include "model/plan.hpp"

namespace lockstep::rt {

class Watchpoints {
 public:
  // Watches exactly `ranges`. False if they need too many watchpoints, or if the kernel provides none.
  bool watch(const TrackedRange* ranges, uint32_t count);

 private:
  static constexpr unsigned kMost = 4;
  struct Point {
    uint64_t address;
    uint32_t length;  // 0: off
    int fd;           // of the perf event, plus 1; 0: not opened yet
  };
  bool set(Point& point, uint64_t address, uint32_t length);

  Point points_[kMost];
  bool refused_;
};
inline constinit Watchpoints watchpoints{};

}  // namespace lockstep::rt
