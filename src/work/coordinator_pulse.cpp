#include "work/coordinator_pulse.hpp"

#include "work/job_files.hpp"

namespace lockstep {

CoordinatorPulse::CoordinatorPulse(const QueueAddress& address, const std::string& job_id, const Job& job)
    : address_(address), keys_(address, job_id) {
  const auto add = [this](const QueuedFile& file, const std::string& path) { files_[file.hash] = {file, path}; };
  add(job.program, job.program.path);
  add(job.runtime, job.runtime.path);
  for (const QueuedFile& file : job.libraries) add(file, file.path);
  for (const QueuedFile& file : job.folder_files) add(file, job.folder + "/" + file.path);
  pulse_.emplace(address, Pulse::Actions{.beat = [this](RedisConnection& redis) { beat(redis); },
                                         .beaten = [this](bool reached) { can_reach_ = reached; }});
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

}  // namespace lockstep
