// The driver's end of a worker's channel (model/channel.hpp): sends plans, receives traces and facts. A channel serves
// one process; create() makes the channel of the next one.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "model/executor.hpp"
#include "target/launch.hpp"
#include "target/received_trace.hpp"
#include "target/shared_memory.hpp"

namespace lockstep {

class WorkerChannel {
 public:
  explicit WorkerChannel(const LaunchOptions& options) : options_(options) {}
  Result<bool> create();
  bool exists() const { return memory_.data() != nullptr; }
  int fd() const { return memory_.fd(); }
  Channel& shared() const { return *static_cast<Channel*>(memory_.data()); }
  // The process is about to be killed and must not wait for anything.
  void stop() const {
    if (exists()) shared().stop.store(1, std::memory_order_release);
  }
  bool sleep_while_starting(int milliseconds) const;  // false: it has started, or cannot be controlled

  // --- plans ---
  bool send(const Plan& plan);  // false: no room until the worker has run other plans
  // True if the plan never fits: make_room_for() enlarges the channels created from now on.
  bool outgrown_by(const Plan& plan) const;
  void make_room_for(const Plan& plan);
  uint64_t not_run() const { return exists() ? sent_ - shared().traces.messages.load(std::memory_order_relaxed) : 0; }
  void ring();  // wakes the worker if it sleeps and has something to do

  // --- settings; only while no plan is under way ---
  void allow_spurious(uint32_t wakeups);
  void allow_delay(uint32_t max_delay_ms);
  void promote(const PromotedPoints& points);
  void trust(const std::vector<CodeRange>& code);
  void preempt_in(const std::vector<CodeRange>& code);
  void watch(const CodeToWatch& code);                       // in addition to those watched already
  void know_loops(const std::vector<uint64_t>& jumps);       // see Channel::native_loop
  bool add_found_loops(std::vector<uint64_t>& known) const;  // loops that the worker found; true: some are new

  // --- traces ---
  bool has_trace();
  TraceView front();  // the oldest unread trace; only if has_trace()
  void pop();
  void wake_writer();  // wakes a worker that waits for room for traces
  void sleep_until_trace(size_t in_flight, int milliseconds);
  void take_turns(bool on) { takes_turns_ = on; }  // on one core: each side runs until it has nothing left to do

  // --- executions that stop (model/inspection.hpp) ---
  const Inspection* stopped() const {  // null: the program runs
    return shared().inspection.waiting.load(std::memory_order_acquire) ? &shared().inspection : nullptr;
  }
  void go_on();

  // --- what the runtime noticed, in all processes so far ---
  const std::set<Fact>& facts();
  bool has_new_libraries() const { return shared().libraries.load(std::memory_order_relaxed) != libraries_read_; }
  const std::set<std::string>& libraries();              // paths of libraries that the program has loaded itself
  std::set<std::string>& modules() { return modules_; }  // paths of modules whose functions are watched
  uint64_t resumed() const;                              // executions that started from a checkpoint

 private:
  void write_settings(Channel& channel);
  char* bytes(const Ring& ring) const { return static_cast<char*>(memory_.data()) + ring.offset; }
  void settings_changed() { shared().settings_version.fetch_add(1, std::memory_order_release); }

  const LaunchOptions& options_;
  SharedMemory memory_;
  size_t plan_ring_ = size_t{1} << 20;  // bytes
  uint64_t sent_ = 0;                   // plans sent to this process
  unsigned unrung_ = 0;                 // plans sent since the worker was last woken
  bool takes_turns_ = false;
  size_t message_ = 0;  // bytes of the trace returned by front()
  ReceivedTrace received_;
  std::set<Fact> facts_;
  uint32_t facts_read_ = 0;  // of the current process
  std::set<std::string> libraries_, modules_;
  uint32_t libraries_read_ = 0;  // of the current process
  uint64_t resumed_ = 0;         // of earlier processes
};

}  // namespace lockstep
