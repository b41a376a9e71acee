// One worker: a process running the program with the runtime loaded, and the driver's end of its channel.
#pragma once
#include <sched.h>
#include <sys/types.h>

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "model/executor.hpp"
#include "model/plan.hpp"
#include "model/result.hpp"
#include "model/trace.hpp"
#include "target/received_trace.hpp"

namespace lockstep {

// A piece of memory shared with other processes through an inherited descriptor.
class SharedMemory {
 public:
  SharedMemory() = default;
  static Result<SharedMemory> create(const char* name, size_t bytes);
  SharedMemory(SharedMemory&& other) noexcept { swap(other); }
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedMemory();
  void* data() const { return data_; }
  int fd() const { return fd_; }

 private:
  void swap(SharedMemory& other);
  void* data_ = nullptr;
  size_t bytes_ = 0;
  int fd_ = -1;
};

// What the program is started with; the same for all workers of an exploration, so that their addresses agree.
uint64_t file_time();  // now, as a file changed now would be stamped; nanoseconds

struct LaunchOptions {
  std::string path;
  std::vector<std::string> command;
  std::string runtime_library;
  Isolation isolation;
  Backend backend;
  Points points;
  Timeouts timeouts;
  uint32_t spin_rounds, spurious, prime;
  bool detect_races, check_locks, find_leaks;
  CheckpointUse checkpoints;
  PromotedPoints promoted;
  std::vector<CodeRange> trusted;
  std::vector<uint64_t> native_loops;
  std::vector<PlainFunction> plain_functions;  // of the modules there are before main
  std::set<std::string> plain_modules;         // paths of those modules
  uint32_t max_steps;
  int thread_table_fd;
  int capture_fd;
  int input_fd;                        // -1: the program reads end of file
  cpu_set_t cpus;                      // where the program may run
  bool alone;                          // there is no other worker
  uint32_t explore_call;               // see TargetOptions
  std::function<void(int, int)> body;  // instead of `path`: see TargetOptions
  uint64_t began = file_time();        // the exploration, as files are stamped
};

class WorkerProcess {
 public:
  explicit WorkerProcess(const LaunchOptions& options) : options_(options) {}
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;

  Result<bool> start();  // also after the process has died
  void kill();
  // Instead of start(): the program, under a debugger of this command line (gdb's), runs this one plan. Returns how the
  // debugger ended.
  Result<int> debug(const Plan& plan, const std::vector<std::string>& debugger);

  // --- plans ---
  void send(const Plan& plan);
  uint64_t not_run() { return memory_.data() ? sent_ - channel().traces.messages.load(std::memory_order_relaxed) : 0; }
  void ring();  // wakes the worker if it sleeps and there is something to do

  void allow_spurious(uint32_t wakeups);
  void promote(const PromotedPoints& points);  // only while no plan is under way
  void trust(const std::vector<CodeRange>& code);
  void watch_functions(const std::vector<PlainFunction>& functions);  // besides those it watches already
  void know_loops(const std::vector<uint64_t>& jumps);                // see Channel::native_loop

  // --- traces ---
  bool has_trace();
  TraceView front();  // the oldest unread trace; only if has_trace()
  void pop();
  void sleep_until_trace(size_t in_flight, int milliseconds);
  void take_turns(bool on) { takes_turns_ = on; }  // on one core: one of us runs until it has nothing left to do

  bool alive();  // false once the process has ended; its last traces may still be unread
  int exit_status() const { return status_; }
  pid_t pid() const { return pid_; }
  const std::set<Fact>& facts();  // of all processes so far
  // The program has loaded libraries since this was asked last; `libraries` are the paths in all processes so far.
  bool has_new_libraries() { return channel().libraries.load(std::memory_order_relaxed) != libraries_read_; }
  const std::set<std::string>& libraries();
  std::set<std::string>& modules() { return modules_; }  // paths of those whose functions are watched
  uint64_t resumed();                                    // executions that started from a checkpoint, likewise
  Channel& channel() { return *static_cast<Channel*>(memory_.data()); }

 private:
  Result<bool> start_once();
  Result<bool> prepare();  // a fresh channel
  void hand_over_descriptors(int channel_fd) const;
  [[noreturn]] void become_program(int channel_fd);
  char* bytes(const Ring& ring) { return static_cast<char*>(memory_.data()) + ring.offset; }

  const LaunchOptions& options_;
  SharedMemory memory_;
  pid_t pid_ = -1, driver_ = -1;
  int status_ = 0;
  uint64_t sent_ = 0;    // plans to this process
  unsigned unrung_ = 0;  // plans sent since the worker was last woken
  bool takes_turns_ = false;
  std::set<Fact> facts_;
  uint32_t facts_read_ = 0;  // of the present process
  std::set<std::string> libraries_, modules_;
  uint32_t libraries_read_ = 0;  // of the present process
  uint64_t resumed_ = 0;
  size_t message_ = 0;  // bytes of the trace returned by front()
  ReceivedTrace received_;
};

}  // namespace lockstep
