#include "work/coordinator_pulse.hpp"

#include <signal.h>

#include "work/job_files.hpp"

namespace lockstep {

CoordinatorPulse::CoordinatorPulse(const QueueAddress& address, const std::string& job_id, const Job& job)
    : address_(address), keys_(address, job_id) {
  const auto add = [this](const QueuedFile& file, const std::string& path) { files_[file.hash] = {file, path}; };
  add(job.program, job.program.path);
  add(job.runtime, job.runtime.path);
  for (const QueuedFile& file : job.libraries) add(file, file.path);
  for (const QueuedFile& file : job.folder_files) add(file, job.folder + "/" + file.path);
  thread_ = std::thread([this] { run(); });
}

CoordinatorPulse::~CoordinatorPulse() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void CoordinatorPulse::beat(RedisConnection& redis) {
  redis.command({"SET", keys_.alive(), "1", "EX", kAliveSeconds});
  for (const std::string& key : {keys_.definition(), keys_.units(), keys_.answers(), keys_.workers(), keys_.refused()})
    redis.send({"EXPIRE", key, kKeepSeconds});
  const auto wanted = redis.command({"SMEMBERS", keys_.wanted()});
  if (!wanted || wanted->kind != RedisReply::List) return;
  for (const RedisReply& hash : wanted->items) {
    const auto file = files_.find(hash.text);
    if (file == files_.end() || !send_file(redis, address_, file->second.file, file->second.path))
      redis.command({"SET", QueueKeys(address_).changed(hash.text), "1", "EX", "60"});
    redis.command({"SREM", keys_.wanted(), hash.text});
  }
}

void CoordinatorPulse::run() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // interrupts are for the search, which may be waiting
  std::unique_ptr<RedisConnection> redis;
  for (std::unique_lock lock(mutex_); !ends_;
       wake_.wait_for(lock, std::chrono::milliseconds(kBeatMilliseconds), [this] { return ends_; })) {
    lock.unlock();
    if (!redis || redis->is_lost()) {
      auto opened = RedisConnection::open(address_);
      redis = opened ? std::move(*opened) : nullptr;
    }
    if (redis) beat(*redis);
    can_reach_ = redis && !redis->is_lost();
    lock.lock();
  }
}

}  // namespace lockstep
