// Input of the policies Guided and Surw, as words of Plan::extra.
#pragma once
#include <cstdint>
#include <vector>

#include "model/ids.hpp"

namespace lockstep {

// Guided: this thread runs for N steps, or until it cannot run.
struct Segment {
  static constexpr uint32_t kUntilItCannot = 0xffff'ffff;
  ThreadId thread;
  uint32_t steps;
  bool operator==(const Segment&) const = default;

  uint64_t word() const { return uint64_t{steps} << 32 | index_of(thread); }
  static Segment of(uint64_t word) {
    return {ThreadId{static_cast<uint16_t>(word)}, static_cast<uint32_t>(word >> 32)};
  }
};

// Guided: the value of this data choice of the thread, numbered from 0.
struct DataChoice {
  ThreadId thread;
  uint32_t number;
  uint16_t value;  // not 0
  bool operator==(const DataChoice&) const = default;

  uint64_t word() const { return uint64_t{number} << 32 | uint64_t{value} << 16 | index_of(thread); }
  static DataChoice of(uint64_t word) {
    return {ThreadId{static_cast<uint16_t>(word)}, static_cast<uint32_t>(word >> 32),
            static_cast<uint16_t>(word >> 16)};
  }
};

// Guided: a schedule to follow as far as possible. As words: the number of segments, the segments, the choices.
struct GuidedSchedule {
  std::vector<Segment> segments;
  std::vector<DataChoice> choices;
  bool operator==(const GuidedSchedule&) const = default;

  void run(ThreadId t, uint32_t steps) {
    if (!segments.empty() && segments.back().thread == t)
      segments.back().steps += steps;
    else
      segments.push_back({t, steps});
  }
  std::vector<uint64_t> words() const {
    std::vector<uint64_t> all{segments.size()};
    for (const Segment& s : segments) all.push_back(s.word());
    for (const DataChoice& c : choices) all.push_back(c.word());
    return all;
  }
};

// Surw: the number of operations on the plan's focus that a thread is expected to do.
struct ExpectedOperations {
  ThreadId thread;
  uint32_t count;

  uint64_t word() const { return uint64_t{count} << 32 | index_of(thread); }
  static ExpectedOperations of(uint64_t word) {
    return {ThreadId{static_cast<uint16_t>(word)}, static_cast<uint32_t>(word >> 32)};
  }
};

// Surw: decisions after which nobody waits any longer for the thread that shall come first. In shorter executions every
// order is equally likely.
inline constexpr uint32_t kSurwPatience = 1'000;

}  // namespace lockstep
