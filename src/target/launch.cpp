// Prepares the environment of a worker process.
#include "target/launch.hpp"

#include <time.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "target/cpu_affinity.hpp"
#include "target/thread_table.hpp"
#include "target/worker_process.hpp"

extern char** environ;

namespace lockstep {
namespace {

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** e = environ; *e; ++e) all.emplace_back(*e);
  return all;
}

std::string variable_in(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment)
    if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  return {};
}

bool is_ours(std::string_view text) {
  return text.starts_with("LD_PRELOAD=") || text.starts_with("LD_BIND_NOW=") || text.starts_with("GLIBC_TUNABLES=") ||
         (text.starts_with("LOCKSTEP_") && !text.starts_with("LOCKSTEP_TEST_"));
}

// The current time as a file changed now would be stamped, in nanoseconds.
uint64_t file_time() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

LaunchOptions launch_options(const TargetOptions& options, const std::string& path, int table_fd, int capture_fd,
                             const cpu_set_t& cpus) {
  return {options, with_length(path, options.path_room), {}, {}, {}, {}, table_fd, capture_fd, cpus, file_time()};
}

std::string with_length(const std::string& path, size_t room) {
  if (room == 0) return path;
  const std::string whole = std::filesystem::absolute(path).string();
  return std::string(room - std::min(room, whole.size()), '/') + whole;
}

std::vector<std::string> runtime_variables(const LaunchOptions& options) {
  std::vector<std::string> environment;
  const std::vector<std::string> given = options.environment ? *options.environment : own_environment();
  const std::string preload = variable_in(given, "LD_PRELOAD"), tunables = variable_in(given, "GLIBC_TUNABLES");
  environment.push_back("LD_PRELOAD=" + with_length(options.runtime_library, options.path_room) +
                        (preload.empty() ? "" : ":" + preload));
  if (options.path_room) {
    const std::string libraries = variable_in(given, "LD_LIBRARY_PATH");
    const std::string folder = options.library_folder.empty() ? "/nonexistent" : options.library_folder;
    environment.push_back("LD_LIBRARY_PATH=" + with_length(folder, options.path_room) +
                          (libraries.empty() ? "" : ":" + libraries));
  }
  // Otherwise each reset of the memory would cause symbols to be resolved again.
  environment.push_back("LD_BIND_NOW=1");
  environment.push_back("GLIBC_TUNABLES=" + tunables + (tunables.empty() ? "" : ":") + "glibc.pthread.rseq=0");
  const std::string descriptors = std::to_string(kChannelFd) + "," + std::to_string(kTableFd);
  environment.push_back(options.explore_call ? std::string(kExploreVariable) + "=" + descriptors + "," +
                                                   std::to_string(options.explore_call)
                                             : std::string(kChannelVariable) + "=" + descriptors);
  return environment;
}

std::vector<std::string> program_environment(const LaunchOptions& options) {
  std::vector<std::string> environment;
  std::vector<std::string> given = options.environment ? *options.environment : own_environment();
  for (std::string& entry : given)
    if (!is_ours(entry) && !(options.path_room && entry.starts_with("LD_LIBRARY_PATH=")))
      environment.push_back(std::move(entry));
  for (std::string& variable : runtime_variables(options)) environment.push_back(std::move(variable));
  return environment;
}

Result<int> debug_target(const TargetOptions& options, const Plan& plan, const std::vector<std::string>& debugger) {
  auto path = find_program(options.command.at(0));
  if (!path) return path.error();
  auto table = make_thread_table(options.threads);
  if (!table) return table.error();
  const LaunchOptions launch = launch_options(options, *path, table->fd(), -1, CpuAffinity().everywhere());
  return WorkerProcess(launch).debug(plan, debugger);
}

}  // namespace lockstep
