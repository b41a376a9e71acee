#include "work/pulse.hpp"

#include <signal.h>

#include "work/queue_keys.hpp"

namespace lockstep {

Pulse::Pulse(const QueueAddress& address, Actions actions) : address_(address), actions_(std::move(actions)) {
  thread_ = std::thread([this] { run(); });
}

Pulse::~Pulse() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Pulse::run() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // interrupts are for the main thread, which may be waiting
  std::unique_ptr<RedisConnection> redis;
  for (std::unique_lock lock(mutex_); !ends_;
       wake_.wait_for(lock, std::chrono::milliseconds(kBeatMilliseconds), [this] { return ends_; })) {
    lock.unlock();
    if (!redis || redis->is_lost()) {
      auto opened = RedisConnection::open(address_);
      redis = opened ? std::move(*opened) : nullptr;
      actions_.connected();
    }
    if (redis) actions_.beat(*redis);
    actions_.beaten(redis && !redis->is_lost());
    lock.lock();
  }
  if (redis) actions_.last(*redis);
}

}  // namespace lockstep
