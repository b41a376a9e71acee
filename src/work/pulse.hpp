// A thread with a connection of its own to Redis, which it uses at every heartbeat.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "work/redis.hpp"

namespace lockstep {

class Pulse {
 public:
  struct Actions {
    std::function<void(RedisConnection&)> beat;
    std::function<void()> connected = [] {};                    // tried, at least
    std::function<void(bool reached)> beaten = [](bool) {};     // Redis answered to the end of the beat
    std::function<void(RedisConnection&)> last = [](auto&) {};  // at the end, if there is a connection
  };

  Pulse(const QueueAddress& address, Actions actions);
  ~Pulse();
  Pulse(const Pulse&) = delete;

 private:
  void run();

  const QueueAddress address_;
  const Actions actions_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace lockstep
