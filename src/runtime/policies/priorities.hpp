// Strict priorities with planned changes: thread bounding (Bindal, Bansal & Lal 2013, section 4). The enabled thread
// with the highest priority runs; at a change the thread that ran last gets another priority.
//
// Plan::extra: number of threads, their priorities by name, then {record, priority} for every change, ascending.
#pragma once
#include "model/ids.hpp"

namespace lockstep::rt {

class Priorities {
 public:
  void begin(const uint64_t* extra, uint32_t words) {
    const uint64_t threads = words ? extra[0] : 0;
    for (unsigned t = 0; t < kMaxThreads; ++t)
      priority_[t] = t < threads && t + 1 < words ? static_cast<int64_t>(extra[t + 1]) : -static_cast<int64_t>(t);
    change_ = extra + 1 + threads;
    end_ = extra + words;
    lowest_ = -int64_t{kMaxThreads};
    for (uint16_t& n : yields_) n = 0;
  }

  // `last` ran last; `yielded`: its step was a yield. A thread that yields repeatedly permanently gets the lowest
  // priority. This deviates from the search's guarantee, but otherwise a thread that waits by polling would run
  // forever.
  template <class Each>
  ThreadId choose(uint32_t record, Each&& each, ThreadId last, bool yielded) {
    if (yielded && last != kNoThread && ++yields_[index_of(last)] > kMostYields) {
      priority_[index_of(last)] = --lowest_;
      yields_[index_of(last)] = 0;
    }
    for (; change_ + 1 < end_ && change_[0] <= record; change_ += 2)
      if (last != kNoThread) priority_[index_of(last)] = static_cast<int64_t>(change_[1]);
    ThreadId best = kNoThread;
    each([&](ThreadId t) {
      if (best == kNoThread || priority_[index_of(t)] > priority_[index_of(best)]) best = t;
    });
    return best;
  }

 private:
  static constexpr uint16_t kMostYields = 100;
  const uint64_t* change_ = nullptr;
  const uint64_t* end_ = nullptr;
  int64_t lowest_ = 0;
  int64_t priority_[kMaxThreads];
  uint16_t yields_[kMaxThreads];
};

}  // namespace lockstep::rt
