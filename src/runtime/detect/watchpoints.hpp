// Hardware watchpoints of the thread that runs the fibers: the processor itself tells, by SIGTRAP right after the
// instruction, who reads or writes a few words of memory.
#pragma once
#include "model/plan.hpp"

namespace lockstep::rt {

class Watchpoints {
 public:
  // Puts them on `ranges` and nowhere else. False if those need more than there are, or the kernel gives us none.
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
