#include "work/job_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "work/packed_bytes.hpp"
#include "work/queue_keys.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
constexpr size_t kPieceBytes = size_t{4} << 20;
// More than this is not sent with a working folder: it is not what a test reads.
constexpr size_t kMostFiles = 256;
constexpr uint64_t kMostFolderBytes = uint64_t{16} << 20;
constexpr auto kFilePatience = std::chrono::seconds(60);

bool write_file(const std::string& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0700);
  if (file < 0) return false;
  bool good = true;
  while (good && !bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done > 0) bytes.remove_prefix(static_cast<size_t>(done));
    good = done > 0 || (done < 0 && errno == EINTR);
  }
  return ::close(file) == 0 && good;
}

}  // namespace

std::optional<QueuedFile> describe_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const std::optional<std::string> hash = content_hash_of_file(path);
  if (!hash) return std::nullopt;
  return QueuedFile{path, *hash, static_cast<uint64_t>(info.st_size), info.st_mode & 0777u,
                    info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec};
}

std::vector<QueuedFile> describe_folder(const std::string& folder, const std::vector<std::string>& skip) {
  std::vector<std::string> names;
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error), end;
       entry != end && !error; entry.increment(error)) {
    const std::string name = entry->path().lexically_relative(folder).string();
    if (std::find(skip.begin(), skip.end(), name) != skip.end() || entry->path().filename() == ".git") {
      entry.disable_recursion_pending();
      continue;
    }
    std::error_code ignored;
    if (entry->is_symlink(ignored) || !entry->is_regular_file(ignored)) continue;
    bytes += entry->file_size(ignored);
    names.push_back(name);
    if (names.size() > kMostFiles || bytes > kMostFolderBytes) return {};
  }
  std::vector<QueuedFile> files;
  for (const std::string& name : names) {
    std::optional<QueuedFile> file = describe_file(folder + "/" + name);
    if (!file) continue;
    file->path = name;
    files.push_back(std::move(*file));
  }
  return files;
}

bool send_file(RedisConnection& redis, const QueueAddress& address, const QueuedFile& file, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (content_hash(bytes) != file.hash) return false;
  const QueueKeys keys(address);
  for (uint64_t piece = 0; piece * kPieceBytes < bytes.size() || piece == 0; ++piece) {
    const std::string_view part = std::string_view(bytes).substr(piece * kPieceBytes, kPieceBytes);
    const auto reply = redis.command({"SET", keys.file(file.hash, piece), part, "EX", kFileSeconds});
    if (!reply || reply->kind == RedisReply::Problem) return false;
  }
  return true;
}

bool is_same_file(const QueuedFile& file, const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         static_cast<uint64_t>(info.st_size) == file.size && content_hash_of_file(path) == file.hash;
}

void FileCache::request(const std::vector<QueuedFile>& files) {
  const JobKeys job(address_, job_);
  for (const QueuedFile& file : files)
    if (::access((folder_.path() + "/" + file.hash).c_str(), F_OK) != 0) redis_.send({"SADD", job.wanted(), file.hash});
}

Result<std::string> FileCache::get(const QueuedFile& file, const std::function<bool()>& stop) {
  const std::string path = folder_.path() + "/" + file.hash;
  folder_.use(path);  // first: nobody removes it any more
  if (is_same_file(file, path)) return path;
  ::unlink(path.c_str());
  Result<std::string> fetched = fetch(file, path, stop);
  if (fetched) folder_.use(path);
  return fetched;
}

Result<std::string> FileCache::fetch(const QueuedFile& file, const std::string& to, const std::function<bool()>& stop) {
  const QueueKeys keys(address_);
  const JobKeys job(address_, job_);
  const auto deadline = std::chrono::steady_clock::now() + kFilePatience;
  std::string bytes;
  while (bytes.size() < file.size) {
    const auto piece = redis_.command({"GET", keys.file(file.hash, bytes.size() / kPieceBytes)});
    if (!piece) return Error{ExitCode::Usage, "Redis is gone: " + redis_.problem()};
    if (piece->kind == RedisReply::Text && !piece->text.empty()) {
      bytes += piece->text;
      continue;
    }
    if (const auto changed = redis_.command({"EXISTS", keys.changed(file.hash)}); changed && changed->integer == 1)
      return Error{ExitCode::Usage, file.path + " has changed since the exploration was started"};
    redis_.command({"SADD", job.wanted(), file.hash});
    if (stop() || std::chrono::steady_clock::now() > deadline)
      return Error{ExitCode::Usage, "the coordinator did not send " + file.path + " in time"};
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  if (content_hash(bytes) != file.hash) return Error{ExitCode::Usage, "the queue holds another file as " + file.path};
  // Others of this machine may write the same.
  const std::string part = to + "." + std::to_string(::getpid());
  ::unlink(part.c_str());
  if (!write_file(part, bytes) || ::rename(part.c_str(), to.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(part.c_str());
    return Error{ExitCode::Usage, "cannot write " + to + ": " + why};
  }
  return to;
}

}  // namespace lockstep
