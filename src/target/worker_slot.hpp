// A worker with its plans in flight, and the choice of the least busy worker.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/plan_queue.hpp"
#include "target/target.hpp"
#include "target/worker_process.hpp"

namespace lockstep {

// A worker and its unanswered plans.
struct WorkerSlot {
  explicit WorkerSlot(const LaunchOptions& options) : process(options) {}
  WorkerProcess process;
  PlanQueue queue;                  // unanswered plans, oldest first
  size_t sent = 0;                  // of `queue`; the others wait for room in the channel
  uint64_t to_do = 0;               // of `queue`: how many had not been run at the last check
  std::optional<uint64_t> suspect;  // plan under way when the worker was killed; blamed after several times
  unsigned killed = 0;              // number of times

  WorkerChannel& channel() { return process.channel(); }
  void feed() {
    while (sent < queue.size() && channel().exists() && channel().send(queue[sent])) ++sent;
  }
  Result<bool> restart() {
    sent = 0;
    Result<bool> started = process.start();
    if (started) feed();
    return started;
  }
  // Lets `inspector` inspect the program if it has stopped, then continues it.
  bool stopped(Inspector& inspector) {
    const Inspection* stop = channel().exists() ? channel().stopped() : nullptr;
    if (stop) {
      inspector.stopped(*stop);
      channel().go_on();
    }
    return stop != nullptr;
  }
  void pop() {  // call after the trace of the oldest plan has been read
    channel().pop();
    queue.pop_front();
    --sent;
  }
  void clear() {
    queue.clear();
    sent = 0;
  }
  // True if the worker left its service loop normally. After a crash its memory cannot be trusted.
  bool retired() { return channel().shared().state.load() == WorkerState::Exited; }
  // Runs the remaining plans and discards the traces. At the deadline, ends the process; it is restarted when it is
  // needed.
  void finish_by(std::chrono::steady_clock::time_point deadline) {
    while (!queue.empty()) {
      feed();
      while (!channel().has_trace() && !retired() && process.alive() && std::chrono::steady_clock::now() < deadline)
        channel().sleep_until_trace(queue.size(), 5);
      if (!channel().has_trace()) {
        process.kill();
        return clear();
      }
      channel().front();
      pop();
    }
  }
};

using WorkerSlots = std::vector<std::unique_ptr<WorkerSlot>>;

// The worker with the least left to do. Reading the number moves a cache line of the worker's core, so it is not read
// every time.
class LeastBusy {
 public:
  unsigned operator()(const WorkerSlots& slots) {
    constexpr unsigned kLookEvery = 16;
    if (++since_look_ >= kLookEvery) {
      since_look_ = 0;
      for (auto& slot : slots) slot->to_do = slot->channel().not_run();
    }
    unsigned least = 0;
    for (unsigned i = 1; i < slots.size(); ++i)
      if (slots[i]->to_do < slots[least]->to_do) least = i;
    return least;
  }

 private:
  unsigned since_look_ = 0;
};

inline std::vector<pid_t> processes_of(const WorkerSlots& slots) {
  std::vector<pid_t> processes;
  for (const auto& slot : slots)
    if (slot->process.pid() > 0) processes.push_back(slot->process.pid());
  return processes;
}

}  // namespace lockstep
