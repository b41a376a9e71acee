#include "work/job_description.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "work/job_files.hpp"

extern char** environ;

namespace lockstep {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMostInput = size_t{64} << 20;
constexpr uint32_t kPathUnit = 256;

// Those that decide where things lie, or when calls fail.
constexpr int kResources[] = {RLIMIT_STACK, RLIMIT_NOFILE, RLIMIT_DATA, RLIMIT_AS, RLIMIT_NPROC, RLIMIT_FSIZE};

std::vector<ResourceLimit> own_limits() {
  std::vector<ResourceLimit> limits;
  for (const int resource : kResources) {
    rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0)
      limits.push_back({resource, limit.rlim_cur});
  }
  return limits;
}

std::vector<std::string> library_paths(Target& here, const std::string& program, const std::string& runtime) {
  std::vector<std::string> paths;
  for (const Module& module : here.modules())
    if (module.executable && module.path != program && module.path != runtime && !module.path.starts_with("/memfd:") &&
        !module.path.ends_with(" (deleted)") && std::ranges::find(paths, module.path) == paths.end())
      paths.push_back(module.path);
  for (const std::string& library : here.libraries())
    if (library.starts_with('/') && std::ranges::find(paths, library) == paths.end()) paths.push_back(library);
  return paths;
}

Error cannot_read(const std::string& path) { return {ExitCode::Usage, "cannot read " + path}; }

}  // namespace

std::string random_id() {
  std::random_device draw;
  std::string id;
  for (int i = 0; i < 16; ++i) id += "0123456789abcdef"[draw() % 16];
  return id;
}

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && name[0] ? name : "unknown";
}

void prepare_for_other_machines(TargetOptions& options) {
  std::vector<std::string>& environment = options.environment.emplace();
  for (char** e = environ; *e; ++e)
    if (const std::string_view entry = *e; !entry.starts_with("LOCKSTEP_") || entry.starts_with("LOCKSTEP_TEST_"))
      environment.emplace_back(entry);
  const size_t program = fs::absolute(options.program_file).string().size();
  const size_t longest = std::max(program, options.runtime_library.size());
  options.path_room = static_cast<uint32_t>((longest / kPathUnit + 1) * kPathUnit);
}

Result<Job> describe_job(const TargetOptions& options, Target& here) {
  Job job;
  job.version = LOCKSTEP_VERSION;
  job.machine = machine_name();
  job.target = options;
  job.target.isolation = here.info().isolation;
  std::error_code ignored;
  job.folder = fs::current_path(ignored).string();
  const std::string program = fs::canonical(options.program_file, ignored).string();
  const std::string runtime = fs::canonical(options.runtime_library, ignored).string();
  for (const auto& [path, file] : {std::pair{program, &job.program}, {runtime, &job.runtime}}) {
    const std::optional<QueuedFile> described = describe_file(path);
    if (!described) return cannot_read(path);
    *file = *described;
  }
  for (const std::string& path : library_paths(here, program, runtime)) {
    std::optional<QueuedFile> file = describe_file(path);
    if (!file) return cannot_read(path);
    job.libraries.push_back(std::move(*file));
  }
  job.folder_files = describe_folder(job.folder, {"lockstep-out", options.output_folder});
  if (options.input && options.input->fd() >= 0) {
    job.has_input = true;
    job.input = options.input->bytes(kMostInput);
    char one = 0;
    if (job.input.empty() && ::pread(options.input->fd(), &one, 1, 0) == 1)
      return Error{ExitCode::Usage, "--queue: standard input is larger than 64 MiB"};
  }
  job.limits = own_limits();
  return job;
}

}  // namespace lockstep
