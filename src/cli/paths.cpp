// Finds installed files and checks output paths.
#include "cli/paths.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "liblockstep-rt.so";

}  // namespace

Result<std::string> find_runtime_library() {
  std::error_code error;
  if (const char* given = std::getenv("LOCKSTEP_RUNTIME"); given != nullptr && *given != '\0') {
    if (fs::is_regular_file(given, error)) return fs::absolute(given).string();
    return Error{ExitCode::Usage, fmt::format("LOCKSTEP_RUNTIME: no such file: {}", given)};
  }
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"../lib", LOCKSTEP_LIBDIR, ".", "../runtime", "../src/runtime"}) {
    const fs::path candidate = (folder / place / kLibrary).lexically_normal();
    if (fs::is_regular_file(candidate, error)) return candidate.string();
  }
  return Error{ExitCode::Usage,
               fmt::format("cannot find {} in {}; reinstall Lockstep, or set LOCKSTEP_RUNTIME to its path", kLibrary,
                           (folder / "../lib").lexically_normal().string())};
}

Result<std::string> find_gdb_scripts() {
  std::error_code error;
  const fs::path folder =
      (fs::read_symlink("/proc/self/exe", error).parent_path() / "../share/lockstep").lexically_normal();
  if (fs::is_regular_file(folder / "lockstep_gdb/__init__.py", error)) return folder.string();
  return Error{ExitCode::Usage, fmt::format("cannot find {}/lockstep_gdb; reinstall Lockstep", folder.string())};
}

std::string default_out(const std::string& program) {
  const std::string name = fs::path(program).filename().string();
  return "lockstep-out/" + (name.empty() ? "program" : name);
}

std::optional<Error> check_writable_folder(const std::string& folder) {
  // Creating a file is the only test that is correct for every file system and for root.
  std::error_code error;
  std::vector<fs::path> created;
  fs::path walk;
  for (const fs::path& part : fs::path(folder)) {
    walk /= part;
    if (part.empty() || fs::is_directory(walk, error)) continue;
    if (!fs::create_directory(walk, error)) {
      if (!error) error = std::make_error_code(std::errc::not_a_directory);
      break;
    }
    created.push_back(walk);
  }
  int reason = error && !fs::is_directory(folder) ? error.value() : 0;
  if (reason == 0) {
    const std::string probe = fmt::format("{}/.lockstep-{}", folder, getpid());
    const int fd = open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    reason = fd < 0 ? errno : 0;
    if (fd >= 0) {
      close(fd);
      unlink(probe.c_str());
    }
  }
  for (auto at = created.rbegin(); at != created.rend(); ++at) fs::remove(*at, error);
  if (reason == 0) return std::nullopt;
  return Error{ExitCode::Usage,
               fmt::format("cannot write to {}: {}; choose another folder with --out", folder, std::strerror(reason))};
}

std::optional<Error> check_writable_file(const std::string& file) {
  std::error_code ignored;
  const bool existed = fs::exists(file, ignored);
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd < 0) return Error{ExitCode::Usage, fmt::format("cannot write to {}: {}", file, std::strerror(errno))};
  close(fd);
  if (!existed) unlink(file.c_str());
  return std::nullopt;
}

}  // namespace lockstep
