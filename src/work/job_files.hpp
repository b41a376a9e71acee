// The files of an exploration: what the coordinator says of them, and how a worker gets them.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "work/cache_folder.hpp"
#include "work/messages.hpp"
#include "work/queue_address.hpp"
#include "work/redis.hpp"

namespace lockstep {

std::optional<QueuedFile> describe_file(const std::string& path);
// Of the working folder, without links and without what is too much to be sent: then none. `skip`: folders that are
// left out.
std::vector<QueuedFile> describe_folder(const std::string& folder, const std::vector<std::string>& skip);

// Puts a file's content into the queue, in pieces. False: it has changed since it was described, or Redis is gone.
bool send_file(RedisConnection& redis, const QueueAddress& address, const QueuedFile& file, const std::string& path);

// A worker's private copies, by content.
class FileCache {
 public:
  FileCache(RedisConnection& redis, const QueueAddress& address, std::string job)
      : redis_(redis), address_(address), job_(std::move(job)) {}

  // Creates the folder. The error is one sentence.
  std::optional<Error> prepare() { return folder_.open(); }
  // Those that are not here yet will be wanted: the coordinator sends them together.
  void request(const std::vector<QueuedFile>& files);
  // The path of a verified copy; from the queue if there is none yet.
  Result<std::string> get(const QueuedFile& file, const std::function<bool()>& stop);
  CacheFolder& folder() { return folder_; }

 private:
  Result<std::string> fetch(const QueuedFile& file, const std::string& to, const std::function<bool()>& stop);

  RedisConnection& redis_;
  const QueueAddress& address_;
  const std::string job_;
  CacheFolder folder_;
};

// Whether a machine has the same file at the same path.
bool is_same_file(const QueuedFile& file, const std::string& path);

}  // namespace lockstep
