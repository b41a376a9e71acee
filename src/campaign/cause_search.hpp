// The limit for continuing after a bug that the program survives: the bug may lead to another one that says more.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

namespace lockstep {

// At most 1,000 executions or a tenth of the budget, whichever is less, counted from the first such bug.
class CauseSearch {
 public:
  static constexpr uint64_t kMostExecutions = 1000;

  void begin(uint64_t executions, std::optional<uint64_t> executions_budget, double seconds,
             std::optional<std::chrono::milliseconds> time_budget) {
    if (begun_) return;
    begun_ = true;
    until_ = executions + std::min(kMostExecutions, executions_budget.value_or(10 * kMostExecutions) / 10);
    if (time_budget) seconds_ = seconds + std::chrono::duration<double>(*time_budget).count() / 10;
  }
  bool begun() const { return begun_; }
  bool is_over(uint64_t executions, double seconds) const {
    return begun_ && (executions >= until_ || seconds >= seconds_);
  }

 private:
  bool begun_ = false;
  uint64_t until_ = 0;
  double seconds_ = std::numeric_limits<double>::infinity();
};

}  // namespace lockstep
