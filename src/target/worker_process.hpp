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

  Result<bool> start();  // also after the process has died
  void kill();
  // Instead of start(): the program, under a debugger of this command line (gdb's), runs this one plan. Returns how the
  // debugger ended.
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
  bool early_threads_ = false, instrumented_ = false;  // what an earlier start has shown
};

// How a process with this status ended that should not have.
std::string unexpected_ending(int status);

}  // namespace lockstep
