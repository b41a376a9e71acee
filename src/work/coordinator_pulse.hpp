// Beside the search: says that the coordinator is alive, and sends files that workers lack.
#pragma once
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "work/messages.hpp"
#include "work/queue_keys.hpp"
#include "work/redis.hpp"

namespace lockstep {

class CoordinatorPulse {
 public:
  CoordinatorPulse(const QueueAddress& address, const std::string& job_id, const Job& job);
  ~CoordinatorPulse();
  CoordinatorPulse(const CoordinatorPulse&) = delete;

  bool can_reach() const { return can_reach_.load(std::memory_order_relaxed); }  // Redis, a moment ago

 private:
  void beat(RedisConnection& redis);
  void run();

  const QueueAddress address_;
  const JobKeys keys_;
  struct Source {
    QueuedFile file;
    std::string path;
  };
  std::map<std::string, Source> files_;  // by hash
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::atomic<bool> can_reach_{true};
  std::thread thread_;
};

}  // namespace lockstep
