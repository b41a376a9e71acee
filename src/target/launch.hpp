// The launch options of a worker process: the same for all workers of an exploration, so that their addresses agree.
#pragma once
#include <sched.h>

#include <set>
#include <string>
#include <vector>

#include "target/plain_code.hpp"
#include "target/target.hpp"

namespace lockstep {

struct LaunchOptions : TargetOptions {
  std::string path;  // of the program
  std::vector<CodeRange> trusted, preemptible;
  CodeToWatch watched_code;             // of the modules loaded before main
  std::set<std::string> plain_modules;  // paths of those modules
  int thread_table_fd = -1;
  int capture_fd = -1;
  cpu_set_t cpus;      // where the program is allowed to run
  uint64_t began = 0;  // start of the exploration, in the clock of file times

  bool alone() const { return workers <= 1; }                // there is no other worker
  int input_fd() const { return input ? input->fd() : -1; }  // -1: the program reads end of file
};

// Descriptors that a worker inherits.
inline constexpr int kChannelFd = 240, kTableFd = 241, kCaptureFd = 242;

LaunchOptions launch_options(const TargetOptions& options, const std::string& path, int table_fd, int capture_fd,
                             const cpu_set_t& cpus);

// The path with additional slashes at the front until it has `room` characters; 0: unchanged.
std::string with_length(const std::string& path, size_t room);

// The environment of the program: the user's, and what the runtime needs.
std::vector<std::string> runtime_variables(const LaunchOptions& options);
std::vector<std::string> program_environment(const LaunchOptions& options);

}  // namespace lockstep
