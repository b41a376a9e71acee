// What the policies Guided and Surw are told, as words of Plan::extra.
#pragma once
#include <cstdint>
#include <vector>

#include "model/ids.hpp"

namespace lockstep {

// Guided: this thread runs for so many steps, or until it cannot go on.
struct Stretch {
  static constexpr uint32_t kUntilItCannot = 0xffff'ffff;
  ThreadId thread;
  uint32_t steps;
  bool operator==(const Stretch&) const = default;

  uint64_t word() const { return uint64_t{steps} << 32 | index_of(thread); }
  static Stretch of(uint64_t word) {
    return {ThreadId{static_cast<uint16_t>(word)}, static_cast<uint32_t>(word >> 32)};
  }
};

// Guided: what the thread's data choice of this number, from 0, shall be.
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

// A schedule as a wish. In words: the number of stretches, the stretches, the choices.
struct Wishes {
  std::vector<Stretch> stretches;
  std::vector<DataChoice> choices;
  bool operator==(const Wishes&) const = default;

  void run(ThreadId t, uint32_t steps) {
    if (!stretches.empty() && stretches.back().thread == t)
      stretches.back().steps += steps;
    else
      stretches.push_back({t, steps});
  }
  std::vector<uint64_t> words() const {
    std::vector<uint64_t> all{stretches.size()};
    for (const Stretch& s : stretches) all.push_back(s.word());
    for (const DataChoice& c : choices) all.push_back(c.word());
    return all;
  }
};

// Surw: how many operations on the plan's focus a thread is expected to do.
struct ExpectedOperations {
  ThreadId thread;
  uint32_t count;

  uint64_t word() const { return uint64_t{count} << 32 | index_of(thread); }
  static ExpectedOperations of(uint64_t word) {
    return {ThreadId{static_cast<uint16_t>(word)}, static_cast<uint32_t>(word >> 32)};
  }
};

}  // namespace lockstep
