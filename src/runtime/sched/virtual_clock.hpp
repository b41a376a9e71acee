// Virtual time. The time that a thread reads depends on its causal past only: its own sleeps, timeouts and clock reads,
// and those of everything that happens before. A clock that followed the global step count would make independent steps
// observable and every reduction unsound.
#pragma once
#include <time.h>

#include "runtime/base/module.hpp"
#include "runtime/base/thread.hpp"

namespace lockstep::rt {

inline constexpr uint64_t kClockStart = 1'000'000'000;                  // monotonic clocks begin at 1 s
inline constexpr uint64_t kRealtimeOffset = 1'767'225'600'000'000'000;  // 2026-01-01
inline constexpr uint64_t kClockReadCost = 1'000;  // polling a clock advances it, so such loops end
inline constexpr uint64_t kPollCost = 1'000;       // a yield, a round of a spin loop
inline constexpr uint64_t kBusyPollCost = 10'000;  // at most, for a thread that changed something since its last poll

class VirtualClock {
 public:
  void init();
  void begin() { ++generation_; }
  uint64_t read(Thread& me, clockid_t clock);  // nanoseconds; advances `me`
  void sleep_until(Thread& me, uint64_t deadline);
  // A round of polling. Each round takes half as long as all earlier rounds together. So a loop that polls until
  // another thread has slept reaches any deadline soon, and exceeds it by at most half. A thread that changes something
  // between its yields does not wait for time to pass: its time must advance slowly, or another thread that waits for
  // it with a timeout would give up.
  void poll(Thread& me, uint64_t least);
  static uint64_t to_monotonic(clockid_t clock, const timespec& deadline);  // absolute deadline -> virtual time

  // Happens-before of one step: `me` advances to the time of the objects it reads, and its object to the time of `me`.
  void join(Thread& me, const Step& step);
  void join(Thread& me, const Thread& other) { advance_to(me, other.clock); }
  // The time since when a thread that can run could do its next operation: its own time or, if it had to wait, the time
  // of the step that enabled it. Excludes the time it would get from the operation itself: otherwise a thread that
  // polls a variable would delay the store to it.
  uint64_t ready_since(const Thread& t, const Step& next) const;

 private:
  struct Cell {
    ObjectId object;
    uint32_t generation;
    uint64_t written, read;
  };
  Cell& cell(ObjectId object);
  const Cell* find(ObjectId object) const;
  static void advance_to(Thread& me, uint64_t time) {
    if (time <= me.clock) return;
    me.clock = time;
    me.polled = 0;
  }
  Cell* cells_ = nullptr;
  uint32_t generation_ = 0;
};
inline constinit VirtualClock virtual_clock{};
extern const Module virtual_clock_module;

}  // namespace lockstep::rt
