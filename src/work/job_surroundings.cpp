#include "work/job_surroundings.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

Error no_use(const std::string& why) { return {ExitCode::Usage, why}; }

// Parts of the C library: they fit each other, the program's loader and the kernel, or nothing works.
bool is_part_of_libc(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  for (const char* part : {"ld-linux", "ld-2", "libc.so", "libc-2", "libm.so", "libpthread", "libdl", "librt.so"})
    if (name.starts_with(part)) return true;
  return false;
}

std::optional<Error> set_limits(const Job& job) {
  for (const ResourceLimit& limit : job.limits) {
    rlimit own{};
    const auto resource = static_cast<__rlimit_resource>(limit.resource);
    if (::getrlimit(resource, &own) != 0 || own.rlim_cur == limit.value) continue;
    own.rlim_cur = limit.value;
    if (own.rlim_cur > own.rlim_max || ::setrlimit(resource, &own) != 0)
      return no_use("a limit of this machine (getrlimit " + std::to_string(limit.resource) +
                    ") is lower than where the exploration was started");
  }
  return std::nullopt;
}

bool copy_to(const std::string& from, const std::string& to, const QueuedFile& file) {
  std::error_code error;
  fs::create_directories(fs::path(to).parent_path(), error);
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (error) return false;
  ::chmod(to.c_str(), file.mode | 0600);
  const timespec time{file.mtime / 1'000'000'000, file.mtime % 1'000'000'000};
  const timespec times[2] = {time, time};
  ::utimensat(AT_FDCWD, to.c_str(), times, 0);
  return true;
}

bool stays_inside(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return !normal.empty() && normal.is_relative() && *normal.begin() != "..";
}

// libfoo.so.1.2.3 is loaded as libfoo.so.1.
void link_shorter_names(const fs::path& library) {
  std::string name = library.filename().string();
  std::error_code ignored;
  for (size_t dot = name.rfind('.'); dot != std::string::npos && name.find(".so") < dot; dot = name.rfind('.')) {
    name.resize(dot);
    fs::create_symlink(library.filename(), library.parent_path() / name, ignored);
  }
}

}  // namespace

JobSurroundings::~JobSurroundings() {
  std::error_code ignored;
  if (!private_.empty()) fs::remove_all(private_, ignored);
}

std::optional<Error> JobSurroundings::make_private_folder(FileCache& cache) {
  if (!private_.empty()) return std::nullopt;
  std::string name = cache.folder().path() + "/job-XXXXXX";
  if (!::mkdtemp(name.data()))
    return no_use("cannot create a folder in " + cache.folder().path() + ": " + std::strerror(errno));
  private_ = name;
  cache.folder().use(private_);
  return std::nullopt;
}

std::optional<Error> JobSurroundings::find_libraries(const Job& job, FileCache& cache,
                                                     const std::function<bool()>& stop) {
  for (const QueuedFile& library : job.libraries) {
    if (is_same_file(library, library.path)) continue;
    if (is_part_of_libc(library.path))
      return no_use("the C library differs from the one where the exploration was started (" + library.path + ")");
    if (auto error = make_private_folder(cache)) return error;
    library_folder_ = private_ + "/lib";
    const Result<std::string> copy = cache.get(library, stop);
    if (!copy) return copy.error();
    const std::string path = library_folder_ + "/" + fs::path(library.path).filename().string();
    if (!copy_to(*copy, path, library)) return no_use("cannot write " + path);
    link_shorter_names(path);
  }
  return std::nullopt;
}

std::optional<Error> JobSurroundings::enter_folder(const Job& job, FileCache& cache,
                                                   const std::function<bool()>& stop) {
  const auto is_here = [&](const QueuedFile& file) { return is_same_file(file, job.folder + "/" + file.path); };
  if (std::ranges::all_of(job.folder_files, is_here) && ::chdir(job.folder.c_str()) == 0) return std::nullopt;
  if (auto error = make_private_folder(cache)) return error;
  const std::string folder = private_ + "/folder";
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  cache.request(job.folder_files);
  for (const QueuedFile& file : job.folder_files) {
    if (!stays_inside(file.path)) return no_use("the exploration names a file outside of its folder");
    const Result<std::string> copy = cache.get(file, stop);
    if (!copy) continue;  // it changes all the time; if the program reads it, control executions show
    if (!copy_to(*copy, folder + "/" + file.path, file)) return no_use("cannot write " + folder + "/" + file.path);
  }
  if (::chdir(folder.c_str()) != 0) return no_use("cannot enter " + folder + ": " + std::strerror(errno));
  return std::nullopt;
}

Result<TargetOptions> JobSurroundings::prepare(const Job& job, FileCache& cache, const std::function<bool()>& stop) {
  if (auto error = cache.prepare()) return *error;
  TargetOptions options = job.target;
  for (const auto& [file, path] :
       {std::pair{&job.program, &options.program_file}, {&job.runtime, &options.runtime_library}}) {
    *path = file->path;
    if (is_same_file(*file, file->path) && ::access(file->path.c_str(), X_OK) == 0) continue;
    const Result<std::string> copy = cache.get(*file, stop);
    if (!copy) return copy.error();
    *path = *copy;
  }
  if (auto error = find_libraries(job, cache, stop)) return *error;
  if (auto error = enter_folder(job, cache, stop)) return *error;
  if (auto error = set_limits(job)) return *error;
  options.library_folder = library_folder_;
  for (const std::string* path : {&options.program_file, &options.runtime_library, &options.library_folder})
    if (path->size() > options.path_room) return no_use("the path " + *path + " is too long; set XDG_CACHE_HOME");
  if (job.has_input) options.input = ProgramInput::of(job.input);
  options.workers = 1;
  options.queue.clear();
  return options;
}

}  // namespace lockstep
