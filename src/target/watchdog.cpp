// Decides whether a worker is stuck.
#include "target/watchdog.hpp"

#include <signal.h>

#include "target/process_activity.hpp"

namespace lockstep {
namespace {

constexpr int kWatchdogSignal = 62;  // its handler in the runtime reports the place and looks for a spin loop
constexpr auto kLookEvery = std::chrono::milliseconds(250);

}  // namespace

std::optional<std::string> Watchdog::look_at(WorkerProcess& worker) {
  const Clock::time_point now = Clock::now();
  if (now - std::max(looked_, active_) < kLookEvery || worker.pid() <= 0) return std::nullopt;
  looked_ = now;
  const ProcessActivity activity = activity_of(worker.pid());
  Channel& channel = worker.channel().shared();
  const uint64_t steps = channel.stuck_steps.load(std::memory_order_relaxed);
  if (activity.runs || steps != steps_) active_ = now;
  steps_ = steps;
  if (now - active_ >= patience_)
    return activity.sleeps_in.empty()
               ? "waits for something outside control"
               : "is blocked in the system call " + activity.sleeps_in + ", which Lockstep does not control";
  // If every execution is a fork, the fork has to get the signal. Otherwise only the worker may get it: the signal
  // would kill a program that it has started.
  const bool forks = channel.isolation_used == Isolation::Fork;
  ::kill(forks ? -worker.pid() : worker.pid(), kWatchdogSignal);
  return std::nullopt;
}

}  // namespace lockstep
