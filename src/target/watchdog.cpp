#include "target/watchdog.hpp"

#include <signal.h>

#include "target/process_activity.hpp"

namespace lockstep {
namespace {

constexpr int kWatchdogSignal = 62;  // the runtime's handler reports where it is, and looks for a spin loop
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
  // Where every execution is a fork, it is the fork that has to hear it. Otherwise nobody else may: a program that it
  // has started itself would die of it.
  const bool forks = channel.isolation_used == Isolation::Fork;
  ::kill(forks ? -worker.pid() : worker.pid(), kWatchdogSignal);
  return std::nullopt;
}

}  // namespace lockstep
