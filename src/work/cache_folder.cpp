#include "work/cache_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace lockstep {

namespace fs = std::filesystem;
namespace {
constexpr auto kYoung = std::chrono::minutes(1);  // whoever made a folder has locked it by then
}  // namespace

CacheFolder::~CacheFolder() {
  for (const int file : used_) ::close(file);
}

std::optional<Error> CacheFolder::open() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  path_ = cache && *cache ? std::string(cache) : std::string(home && *home ? home : "/tmp") + "/.cache";
  path_ += "/lockstep";
  std::error_code error;
  fs::create_directories(path_, error);
  struct stat info {};
  if (::lstat(path_.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return Error{ExitCode::Usage, "cannot create " + path_ + ": " + error.message()};
  if (info.st_uid != ::geteuid())
    return Error{ExitCode::Usage, path_ + " belongs to somebody else; set XDG_CACHE_HOME to a folder of your own"};
  ::chmod(path_.c_str(), 0700);
  prune(kMostCacheBytes);
  return std::nullopt;
}

void CacheFolder::use(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  (void)::flock(file, LOCK_SH);
  (void)::futimens(file, nullptr);
  used_.push_back(file);
}

void CacheFolder::prune(uint64_t most_bytes) {
  std::multimap<fs::file_time_type, fs::path> by_age;
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    if (!entry->is_directory(gone)) bytes += entry->file_size(gone);
    if (!gone) by_age.emplace(entry->last_write_time(gone), entry->path());
  }
  for (const auto& [age, path] : by_age) {
    std::error_code gone;
    const bool is_folder = fs::is_directory(path, gone);
    const uint64_t size = is_folder ? 0 : fs::file_size(path, gone);
    if (gone || (is_folder ? fs::file_time_type::clock::now() - age < kYoung : bytes <= most_bytes)) continue;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) continue;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0 && fs::remove_all(path, gone) > 0 && !gone) bytes -= size;
    ::close(file);
  }
}

}  // namespace lockstep
