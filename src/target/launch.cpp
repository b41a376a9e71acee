#include "target/launch.hpp"

#include <time.h>

#include <cstdlib>
#include <string_view>

#include "target/cpu_affinity.hpp"
#include "target/thread_table.hpp"
#include "target/worker_process.hpp"

extern char** environ;

namespace lockstep {
namespace {

std::string variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value ? value : "";
}

bool is_ours(std::string_view text) {
  return text.starts_with("LD_PRELOAD=") || text.starts_with("LD_BIND_NOW=") || text.starts_with("GLIBC_TUNABLES=") ||
         (text.starts_with("LOCKSTEP_") && !text.starts_with("LOCKSTEP_TEST_"));
}

// Now, as a file changed now would be stamped; nanoseconds.
uint64_t file_time() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

LaunchOptions launch_options(const TargetOptions& options, const std::string& path, int table_fd, int capture_fd,
                             const cpu_set_t& cpus) {
  return {options, path, {}, {}, {}, {}, {}, table_fd, capture_fd, cpus, file_time()};
}

std::vector<std::string> runtime_variables(const LaunchOptions& options) {
  std::vector<std::string> environment;
  const std::string preload = variable("LD_PRELOAD"), tunables = variable("GLIBC_TUNABLES");
  environment.push_back("LD_PRELOAD=" + options.runtime_library + (preload.empty() ? "" : ":" + preload));
  environment.push_back("LD_BIND_NOW=1");  // otherwise resetting memory would resolve symbols again and again
  environment.push_back("GLIBC_TUNABLES=" + tunables + (tunables.empty() ? "" : ":") + "glibc.pthread.rseq=0");
  const std::string descriptors = std::to_string(kChannelFd) + "," + std::to_string(kTableFd);
  environment.push_back(options.explore_call ? std::string(kExploreVariable) + "=" + descriptors + "," +
                                                   std::to_string(options.explore_call)
                                             : std::string(kChannelVariable) + "=" + descriptors);
  return environment;
}

std::vector<std::string> program_environment(const LaunchOptions& options) {
  std::vector<std::string> environment;
  for (char** e = environ; *e; ++e)
    if (!is_ours(*e)) environment.emplace_back(*e);
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
