// Beside a worker's executions: says that the worker is alive and keeps its unit, notices what it must stop for.
#pragma once
#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "work/messages.hpp"
#include "work/pulse.hpp"
#include "work/queue_keys.hpp"

namespace lockstep {

class WorkerPulse {
 public:
  WorkerPulse(const QueueAddress& address, const std::string& job, const std::string& worker);

  void begin_unit(uint64_t number);
  void end_unit(uint64_t executions);
  bool has_lost_unit() const { return unit_ != 0 && lost_unit_ == unit_; }  // another worker has it, or it is done
  bool is_over() const { return over_; }        // the exploration has ended, or its coordinator is gone
  bool is_refused() const { return refused_; }  // the coordinator does not want this worker
  uint64_t executions() const { return executions_; }

 private:
  void beat(RedisConnection& redis);
  WorkerReport report();

  const JobKeys keys_;
  const std::string worker_, machine_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point heard_ = began_;  // from the coordinator
  std::atomic<uint64_t> unit_{0}, lost_unit_{0}, executions_{0};
  std::atomic<int64_t> busy_{0}, unit_began_{0};  // nanoseconds
  std::atomic<bool> over_{false}, refused_{false};
  uint64_t beats_ = 0;
  std::optional<Pulse> pulse_;  // last: ends first
};

}  // namespace lockstep
