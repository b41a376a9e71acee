// One worker: a process that runs the program with the runtime loaded.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "target/worker_channel.hpp"

namespace lockstep {

class WorkerProcess {
 public:
  explicit WorkerProcess(const LaunchOptions& options) : options_(options), channel_(options) {}
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;

  Result<bool> start();  // also restarts after the process has died
  void kill();
  // Instead of start(): runs this one plan under a debugger with this command line (of gdb). Returns the debugger's
  // exit status.
  Result<int> debug(const Plan& plan, const std::vector<std::string>& debugger);

  bool alive();  // false once the process has ended; its last traces may still be unread
  int exit_status() const { return status_; }
  pid_t pid() const { return pid_; }
  WorkerChannel& channel() { return channel_; }

 private:
  Result<bool> create_channel();
  Result<bool> start_once();
  bool notice_early_thread();
  std::string ending_before_main() const;
  void hand_over_descriptors() const;
  [[noreturn]] void become_program();

  const LaunchOptions& options_;
  WorkerChannel channel_;
  pid_t pid_ = -1, driver_ = -1;
  int status_ = 0;
  bool early_threads_ = false, instrumented_ = false;  // shown by an earlier start
};

// Describes the unexpected end of a process with this status.
std::string unexpected_ending(int status);

}  // namespace lockstep
