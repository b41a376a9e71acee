// The command `lockstep work`: runs executions for explorations on other machines.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <thread>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "report/summary.hpp"
#include "report/terminal.hpp"
#include "work/work_service.hpp"

namespace lockstep {
namespace {

// Prints a line for each exploration.
class WorkScreen final : public WorkListener {
 public:
  explicit WorkScreen(const Options& options) : console_(options), quiet_(options.quiet) {}

  void joined(const std::string& job, const std::string& command, const std::string& machine) override {
    commands_[job] = printable(command, false);
    if (!quiet_) print(fmt::format("{} from {}: joined\n", commands_[job], printable(machine, false)));
  }
  void left(const std::string& job, uint64_t executions, double seconds) override {
    if (!quiet_) print(fmt::format("{}: {}, {:.1f} s\n", commands_[job], plural(executions, "execution"), seconds));
    commands_.erase(job);
  }
  void refused(const std::string& job, const std::string& why) override {
    console_.warn(fmt::format("{}: not served: {}", commands_[job], printable(why, false)));
  }
  void lost_redis(const std::string& problem) override {
    console_.warn(fmt::format("Redis is gone ({}); waiting for it", problem));
  }
  void found_redis() override {
    if (!quiet_) print("Redis is back\n");
  }
  bool interrupted() const override { return lockstep::interrupted(); }

 private:
  void print(const std::string& text) const {
    console_.print(text);
    std::fflush(console_.human());
  }
  Console console_;
  const bool quiet_;
  std::map<std::string, std::string> commands_;  // by exploration
};

}  // namespace

int work_command(const Options& options, const Services& services) {
  catch_interrupts();
  const Result<QueueAddress> address = parse_queue_address(options.queue);
  if (!address) return fail(address.error());
  WorkScreen screen(options);
  const unsigned workers = options.workers.value_or(std::max(1u, std::thread::hardware_concurrency()));
  if (!options.quiet) {
    Console(options).print(fmt::format("serving {} with {}\n", address->display(), plural(workers, "worker")));
    std::fflush(stdout);
  }
  if (auto error = serve_queue({*address, workers, services.start}, screen)) return fail(*error);
  return 0;
}

}  // namespace lockstep
