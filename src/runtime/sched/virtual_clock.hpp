// Virtual time. What a thread reads depends on its causal past only: its own sleeps, timeouts and clock reads, and
// those of whatever happens before. A clock that followed the global step count would make independent steps
// observable and every reduction unsound.
#pragma once
#include <time.h>

#include "runtime/base/module.hpp"
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

inline constexpr uint64_t kClockStart = 1'000'000'000;                  // monotonic clocks begin at 1 s
inline constexpr uint64_t kRealtimeOffset = 1'767'225'600'000'000'000;  // 2026-01-01
inline constexpr uint64_t kClockReadCost = 1'000;                       // polling a clock moves it, so such loops end

class VirtualClock {
 public:
  void init();
  void begin() { ++generation_; }
  uint64_t read(Thread& me, clockid_t clock);  // nanoseconds; advances `me`
  void sleep(Thread& me, uint64_t nanoseconds);
  static uint64_t to_monotonic(clockid_t clock, const timespec& deadline);  // absolute deadline -> virtual time

  // Happens-before of one step: `me` learns the time of what it reads, its object learns the time of `me`.
  void join(Thread& me, const Step& step);

 private:
  struct Cell {
    ObjectId object;
    uint32_t generation;
    uint64_t written, read;
  };
  Cell& cell(ObjectId object);
  Cell* cells_ = nullptr;
  uint32_t generation_ = 0;
};
inline constinit VirtualClock virtual_clock{};
extern const Module virtual_clock_module;

}  // namespace lockstep::rt
