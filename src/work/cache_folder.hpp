// The private folder of a user's workers: copies of files by their content, and a folder for each session that needs
// one. What a session uses is locked for as long as the session lasts.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace lockstep {

inline constexpr uint64_t kMostCacheBytes = uint64_t{4} << 30;

class CacheFolder {
 public:
  CacheFolder() = default;
  ~CacheFolder();
  CacheFolder(const CacheFolder&) = delete;

  // Creates it, for this user only, and prunes it. The error is one sentence.
  std::optional<Error> open();
  const std::string& path() const { return path_; }
  // Locks a file or folder in here, and makes it the newest.
  void use(const std::string& path);
  // Removes what nobody uses: folders of sessions, and the files used longest ago until the rest has so many bytes.
  void prune(uint64_t most_bytes);

 private:
  std::string path_;
  std::vector<int> used_;  // open files that hold the locks
};

}  // namespace lockstep
