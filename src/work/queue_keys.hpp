// The names of everything that a queue keeps in Redis, and how long it stays when nobody looks after it.
#pragma once
#include <string>

#include "work/queue_address.hpp"

namespace lockstep {

// While units are computed their workers say so again and again; who is silent for kSilence is taken for gone.
inline constexpr int kBeatMilliseconds = 250, kSilenceMilliseconds = 3000;
inline constexpr const char* kAliveSeconds = "2";     // of a coordinator that says nothing
inline constexpr const char* kKeepSeconds = "86400";  // of what a coordinator left behind; it may be resumed
inline constexpr const char* kFileSeconds = "3600";   // of files that nobody asks for
inline constexpr const char* kGroup = "workers";
// So often a unit is handed out. One whose workers all vanished is not tried again, but split.
inline constexpr int kMostDeliveries = 3;

struct QueueKeys {
  explicit QueueKeys(const QueueAddress& address) : prefix("lockstep:{" + address.name + "}:") {}
  std::string prefix;

  std::string jobs() const { return prefix + "jobs"; }  // set of the explorations under way
  std::string changed(const std::string& hash) const { return prefix + "file:" + hash + ":changed"; }  // since then
  std::string file(const std::string& hash, uint64_t piece) const {
    return prefix + "file:" + hash + ":" + std::to_string(piece);
  }
};

struct JobKeys {
  JobKeys(const QueueAddress& address, const std::string& job) : prefix(QueueKeys(address).prefix + "job:" + job) {}
  std::string prefix;

  const std::string& definition() const { return prefix; }
  std::string alive() const { return prefix + ":alive"; }      // as long as the coordinator is
  std::string over() const { return prefix + ":over"; }        // nothing is left to do
  std::string units() const { return prefix + ":units"; }      // stream
  std::string answers() const { return prefix + ":answers"; }  // stream
  std::string workers() const { return prefix + ":workers"; }  // hash: WorkerReport by worker
  std::string wanted() const { return prefix + ":wanted"; }    // set: hashes of files that a worker lacks
  std::string refused() const { return prefix + ":refused"; }  // set: workers that must leave
  std::string current() const { return prefix + ":current"; }  // number of the settings
  std::string settings(uint64_t number) const { return prefix + ":settings:" + std::to_string(number); }
};

}  // namespace lockstep
