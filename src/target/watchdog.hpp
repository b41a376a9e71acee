// The watchdog of a worker whose trace is awaited. A long computation is allowed. A thread blocked in a system call
// that is not controlled never reaches its next scheduling point.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "target/worker_process.hpp"

namespace lockstep {

class Watchdog {
 public:
  explicit Watchdog(std::chrono::milliseconds patience) : patience_(patience) {}

  // Call repeatedly. Returns why the worker will never answer, if so: "is blocked in the system call read, ..."
  std::optional<std::string> look_at(WorkerProcess& worker);
  bool has_looked() const { return looked_ != Clock::time_point{}; }
  void restart() { *this = Watchdog(patience_); }

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::milliseconds patience_;
  Clock::time_point active_ = Clock::now(), looked_{};
  uint64_t steps_ = ~0ull;  // of the execution, at the last check
};

}  // namespace lockstep
