// Beside the search: says that the coordinator is alive, and sends files that workers lack.
#pragma once
#include <atomic>
#include <map>
#include <optional>
#include <string>

#include "work/messages.hpp"
#include "work/pulse.hpp"
#include "work/queue_keys.hpp"

namespace lockstep {

class CoordinatorPulse {
 public:
  CoordinatorPulse(const QueueAddress& address, const std::string& job_id, const Job& job);

  bool can_reach() const { return can_reach_.load(std::memory_order_relaxed); }  // Redis, a moment ago

 private:
  void beat(RedisConnection& redis);

  const QueueAddress address_;
  const JobKeys keys_;
  struct Source {
    QueuedFile file;
    std::string path;
  };
  std::map<std::string, Source> files_;  // by hash
  std::atomic<bool> can_reach_{true};
  std::optional<Pulse> pulse_;  // last: ends first
};

}  // namespace lockstep
