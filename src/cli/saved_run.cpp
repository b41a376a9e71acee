#include "cli/saved_run.hpp"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "search/state.hpp"

namespace lockstep {
namespace {

constexpr char kMagic[16] = "LOCKSTEP-STATE\n";
constexpr uint32_t kVersion = 4;
constexpr uint64_t kLargest = 64ull << 30;

struct FileHeader {
  char magic[16];
  uint32_t version;
  uint32_t reserved;
  uint64_t size;      // uncompressed
  uint64_t checksum;  // of the compressed bytes
};

std::string pack(const SavedRun& run) {
  StateWriter out;
  out.put<uint64_t>(run.arguments.size());
  for (const std::string& word : run.arguments) out.put_text(word);
  out.put_text(run.environment);
  out.put_text(run.cwd);
  out.put_text(run.build.build_id);
  out.put(run.build.size);
  out.put(run.build.mtime);
  out.put_all(run.threads);
  out.put_text(run.state);
  out.put_all(run.promoted.places);
  out.put_all(run.promoted.aliases);
  out.put(run.executions_before);
  out.put(run.seconds_before);
  return std::move(out.bytes());
}

bool unpack(std::string_view bytes, SavedRun& run) {
  StateReader in(bytes);
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) run.arguments.push_back(in.get_text());
  run.environment = in.get_text();
  run.cwd = in.get_text();
  run.build.build_id = in.get_text();
  run.build.size = in.get<decltype(run.build.size)>();
  run.build.mtime = in.get<decltype(run.build.mtime)>();
  run.threads = in.get_all<ThreadTable::Entry>();
  run.state = in.get_text();
  run.promoted.places = in.get_all<uint64_t>();
  run.promoted.aliases = in.get_all<Alias>();
  run.executions_before = in.get<uint64_t>();
  run.seconds_before = in.get<double>();
  return in.good() && in.at_end() && !run.arguments.empty() && run.threads.size() <= kMaxThreads;
}

Error cannot_write(const std::string& path) {
  return {ExitCode::Usage, fmt::format("cannot save the exploration to {}: {}", path, std::strerror(errno))};
}

}  // namespace

std::string saved_run_path(const std::string& out) { return out + "/exploration.state"; }

std::optional<Error> save_run(const SavedRun& run, const std::string& path) {
  const std::string bytes = pack(run);
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1);
  if (ZSTD_isError(size)) return Error{ExitCode::Usage, "cannot compress the exploration"};
  packed.resize(size);
  FileHeader header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.size = bytes.size();
  header.checksum = XXH3_64bits(packed.data(), packed.size());
  const std::string part = path + ".part";
  std::FILE* file = std::fopen(part.c_str(), "wb");
  if (!file) return cannot_write(path);
  bool written = std::fwrite(&header, sizeof header, 1, file) == 1 && std::fwrite(packed.data(), 1, packed.size(), file) == packed.size();
  written = std::fflush(file) == 0 && written;
  const int error = errno;
  std::fclose(file);
  if (!written || std::rename(part.c_str(), path.c_str()) != 0) {
    if (!written) errno = error;
    const Error failed = cannot_write(path);
    std::remove(part.c_str());
    return failed;
  }
  return std::nullopt;
}

Result<SavedRun> load_run(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ExitCode::Usage, fmt::format("there is no interrupted exploration at {}", path)};
  const Error damaged{ExitCode::Usage, fmt::format("{} is not an exploration of this version of Lockstep, or it is damaged", path)};
  FileHeader header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.version != kVersion || header.size > kLargest)
    return damaged;
  const std::string packed((std::istreambuf_iterator<char>(file)), {});
  if (XXH3_64bits(packed.data(), packed.size()) != header.checksum) return damaged;
  std::string bytes(header.size, '\0');
  const size_t size = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  SavedRun run;
  if (ZSTD_isError(size) || size != header.size || !unpack(bytes, run)) return damaged;
  return run;
}

}  // namespace lockstep
