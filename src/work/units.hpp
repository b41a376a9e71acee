// Batches of plans for workers elsewhere.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"

namespace lockstep {

// Plans for one worker. Another number means another attempt: answers to the one before come too late.
struct Batch {
  uint64_t number = 0;  // 0: not handed out
  std::vector<Plan> plans;
  int attempts = 0;  // to hand it out
  std::chrono::steady_clock::time_point sent{};
  std::vector<Trace> traces;     // once it is answered
  std::string worker;            // who answered
  bool has_new_threads = false;  // answered by the names of threads that were not known: has to be run again
  bool is_answered() const { return traces.size() == plans.size(); }
};

// How large units are: long enough that the queue costs little, short enough that everybody has one.
class UnitSize {
 public:
  void took(size_t plans, std::chrono::microseconds time) {
    const double each = static_cast<double>(time.count()) / static_cast<double>(std::max<size_t>(plans, 1));
    each_ = each_ == 0 ? each : each_ + (each - each_) / 8;
  }
  size_t plans(size_t window, unsigned workers) const {
    constexpr double kWanted = 20'000;  // microseconds
    const size_t most = std::max<size_t>(1, window / (4 * std::max(workers, 1u)));
    if (each_ == 0) return std::min<size_t>(most, 16);
    return static_cast<size_t>(std::clamp(kWanted / std::max(each_, 0.1), 1.0, static_cast<double>(most)));
  }

 private:
  double each_ = 0;  // microseconds for one plan, averaged
};

}  // namespace lockstep
