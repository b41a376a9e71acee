// Writes, locks and reads the file of a saved exploration.
#include "campaign/saved_exploration.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "report/input_file.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {
namespace {

constexpr char kMagic[16] = "LOCKSTEP-STATE\n";
constexpr uint32_t kVersion = 18;
constexpr uint64_t kLargest = 64ull << 30;
// A file that claims a larger uncompressed size is forged and would only exhaust memory.
constexpr uint64_t kMostCompressed = 256, kSmall = 16 << 20;

struct FileHeader {
  char magic[16];
  uint32_t version;
  uint32_t reserved;
  uint64_t size;      // uncompressed
  uint64_t checksum;  // of the compressed bytes
};

void pack(const SavedExploration& run, StateWriter& out) {
  out.put<uint64_t>(run.arguments.size());
  for (const std::string& word : run.arguments) out.put_text(word);
  out.put_text(run.environment);
  out.put_text(run.cwd);
  out.put_text(run.build.build_id);
  out.put(run.build.size);
  out.put(run.build.mtime);
  out.put_all(run.threads);
  for (const PromotedPoints* points : {&run.promoted, &run.found_racy}) {
    out.put_all(points->places);
    out.put_all(points->aliases);
  }
  out.put(run.executions_before);
  out.put(run.seconds);
  put_findings(out, run.bugs);
  put_findings(out, run.warnings);
  out.put(run.raced_before);
  out.put(run.bug_number);
  out.put(run.starts);
  run.coverage.save(out);
}

Error cannot_write(const std::string& path) {
  if (errno == ETIME) return {ExitCode::Usage, fmt::format("no time is left to save the exploration to {}", path)};
  return {ExitCode::Usage, fmt::format("cannot save the exploration to {}: {}", path, std::strerror(errno))};
}

std::string part_of(const std::string& path) { return path + ".part"; }

// Who explores holds the state it wrote or read last, so that nobody else goes on with it meanwhile. The lock goes with
// the process, however that ends.
int held = -1;
void hold(int file) {
  if (held >= 0) ::close(held);
  held = file;
}

bool lock(int file, int how) {
  while (::flock(file, how) != 0)
    if (errno != EINTR) return errno != EWOULDBLOCK;  // a file system without locks excludes nobody
  return true;
}

// Opens a file for writing and locks it until it is renamed: two processes that save to one folder take turns.
int open_alone(const std::string& path) {
  for (;;) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (file < 0) return -1;
    lock(file, LOCK_EX);
    struct stat mine {
    }, there{};
    if (::fstat(file, &mine) == 0 && ::stat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino) {
      if (::ftruncate(file, 0) == 0) return file;
      const int error = errno;
      ::close(file);
      errno = error;
      return -1;
    }
    ::close(file);  // the file has meanwhile been renamed to another process's saved exploration
  }
}

// Kept for the next file: to make one takes longer than to compress a small state.
ZSTD_CStream* compressor() {
  static const std::unique_ptr<ZSTD_CStream, size_t (*)(ZSTD_CStream*)> stream(ZSTD_createCStream(), ZSTD_freeCStream);
  return stream.get();
}

// A file whose contents are compressed while they are written. The header is written last.
class PackedFile {
 public:
  PackedFile(const std::string& path, const std::function<bool()>& gives_up)
      : gives_up_(gives_up), stream_(compressor()), sum_(XXH3_createState()) {
    if (const int file = open_alone(path); file >= 0) file_ = ::fdopen(file, "wb");
    if (!file_) error_ = errno;
    ZSTD_initCStream(stream_, 1);
    XXH3_64bits_reset(sum_);
    out_.resize(ZSTD_CStreamOutSize());
    write(&header_, sizeof header_);
  }
  ~PackedFile() {
    if (file_) std::fclose(file_);
    XXH3_freeState(sum_);
  }
  PackedFile(const PackedFile&) = delete;

  void add(std::string_view piece) {
    header_.size += piece.size();
    for (; !piece.empty() && !error_; piece.remove_prefix(std::min(piece.size(), kSlice))) {
      if (gives_up_()) error_ = ETIME;
      compress({piece.data(), std::min(piece.size(), kSlice), 0}, ZSTD_e_continue);
    }
  }
  bool close() {
    compress({nullptr, 0, 0}, ZSTD_e_end);
    std::memcpy(header_.magic, kMagic, sizeof kMagic);
    header_.version = kVersion;
    header_.checksum = XXH3_64bits_digest(sum_);
    if (!error_ && std::fseek(file_, 0, SEEK_SET) != 0) error_ = errno;
    write(&header_, sizeof header_);
    if (!error_ && std::fflush(file_) != 0) error_ = errno;
    return !error_;
  }
  int error() const { return error_; }  // of the first write that failed
  void keep() const { hold(::fcntl(fileno(file_), F_DUPFD_CLOEXEC, 0)); }

 private:
  static constexpr size_t kSlice = 1 << 20;

  void compress(ZSTD_inBuffer in, ZSTD_EndDirective how) {
    for (bool more = true; more && !error_;) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const size_t left = ZSTD_compressStream2(stream_, &out, &in, how);
      if (ZSTD_isError(left)) error_ = ENOMEM;
      XXH3_64bits_update(sum_, out_.data(), out.pos);
      write(out_.data(), out.pos);
      more = how == ZSTD_e_end ? left > 0 : in.pos < in.size;
    }
  }
  void write(const void* data, size_t size) {
    if (!error_ && std::fwrite(data, 1, size, file_) != size) error_ = errno;
  }

  const std::function<bool()>& gives_up_;
  std::FILE* file_ = nullptr;
  ZSTD_CStream* stream_;
  XXH3_state_t* sum_;
  FileHeader header_{};
  std::string out_;
  int error_ = 0;
};

bool unpack_all(std::string_view packed, uint64_t size, std::string& bytes) {
  ZSTD_DStream* stream = ZSTD_createDStream();
  ZSTD_initDStream(stream);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  size_t left = 1;
  while (left > 0 && bytes.size() <= size) {
    const size_t before = bytes.size();
    bytes.resize(before + ZSTD_DStreamOutSize());
    ZSTD_outBuffer out{bytes.data() + before, bytes.size() - before, 0};
    left = ZSTD_decompressStream(stream, &out, &in);
    bytes.resize(before + out.pos);
    if (ZSTD_isError(left) || (left > 0 && out.pos == 0 && in.pos == in.size)) break;
  }
  ZSTD_freeDStream(stream);
  return left == 0 && in.pos == in.size && bytes.size() == size;
}

}  // namespace

bool unpack_exploration(std::string_view bytes, SavedExploration& run) {
  StateReader in(bytes);
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) run.arguments.push_back(in.get_text());
  run.environment = in.get_text();
  run.cwd = in.get_text();
  run.build.build_id = in.get_text();
  run.build.size = in.get<decltype(run.build.size)>();
  run.build.mtime = in.get<decltype(run.build.mtime)>();
  run.threads = in.get_all<ThreadTable::Entry>();
  for (PromotedPoints* points : {&run.promoted, &run.found_racy}) {
    points->places = in.get_all<uint64_t>();
    points->aliases = in.get_all<Alias>();
  }
  run.executions_before = in.get<uint64_t>();
  run.seconds = in.get<double>();
  run.bugs = get_findings(in);
  run.warnings = get_findings(in);
  run.raced_before = in.get<bool>();
  run.bug_number = in.get<unsigned>();
  run.starts = in.get<unsigned>();
  run.coverage.load(in);
  run.state = in.rest();
  return in.good() && !run.arguments.empty() && run.threads.size() <= kMaxThreads;
}

std::string saved_exploration_path(const std::string& out) { return out + "/exploration.state"; }

std::optional<Error> save_exploration_file(const SavedExploration& run, const std::function<void(StateWriter&)>& state,
                                           const std::string& path, const std::function<bool()>& gives_up) {
  const std::string part = part_of(path);
  PackedFile file(part, gives_up);
  {
    StateWriter out([&file](std::string_view piece) { file.add(piece); });
    pack(run, out);
    state(out);
  }
  if (file.close() && std::rename(part.c_str(), path.c_str()) == 0) {
    file.keep();
    return std::nullopt;
  }
  if (file.error()) errno = file.error();
  const Error failed = cannot_write(path);
  std::remove(part.c_str());
  return failed;
}

Result<SavedExploration> load_saved_exploration(const std::string& path) {
  hold(-1);  // an earlier search of this process has ended and may have written this file
  if (const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); file >= 0) {
    if (!lock(file, LOCK_EX | LOCK_NB)) {
      ::close(file);
      return Error{ExitCode::Usage, fmt::format("{} is in use by a running exploration; wait until it ends", path)};
    }
    hold(file);
  } else {
    return Error{ExitCode::Usage, fmt::format("no interrupted exploration at {}", path)};
  }
  const Result<std::string> content = read_input_file(path, kLargest);
  if (!content) return content.error();
  const Error damaged{
      ExitCode::Usage,
      fmt::format("{} is not a saved exploration, or it is damaged; start again with 'lockstep run'", path)};
  FileHeader header{};
  if (content->size() < sizeof header) return damaged;
  std::memcpy(&header, content->data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) return damaged;
  if (header.version != kVersion)
    return Error{ExitCode::Usage,
                 fmt::format("{} was saved by another version of Lockstep; start again with 'lockstep run'", path)};
  const std::string_view packed = std::string_view(*content).substr(sizeof header);
  if (XXH3_64bits(packed.data(), packed.size()) != header.checksum) return damaged;
  std::string bytes;
  if (header.size > kSmall + kMostCompressed * packed.size() || !unpack_all(packed, header.size, bytes)) return damaged;
  SavedExploration run;
  if (!unpack_exploration(bytes, run)) return damaged;
  return run;
}

void leave_saved_exploration() { hold(-1); }

void remove_saved_exploration(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  std::filesystem::remove(part_of(path), ignored);
}

}  // namespace lockstep
