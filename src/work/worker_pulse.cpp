#include "work/worker_pulse.hpp"

#include "work/job_description.hpp"
#include "work/queue_scripts.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
// Redis may have lost the sign of life with its memory; the coordinator writes it again at once.
constexpr auto kWithoutCoordinator = std::chrono::milliseconds(1000);

int64_t nanoseconds(Clock::time_point time) { return time.time_since_epoch().count(); }

}  // namespace

WorkerPulse::WorkerPulse(const QueueAddress& address, const std::string& job, const std::string& worker)
    : keys_(address, job), worker_(worker), machine_(machine_name()) {
  pulse_.emplace(address,
                 Pulse::Actions{.beat = [this](RedisConnection& redis) { beat(redis); },
                                .connected = [this] { heard_ = Clock::now(); },
                                .last =
                                    [this](RedisConnection& redis) {
                                      redis.command({"HDEL", keys_.workers(), worker_}, std::chrono::milliseconds(200));
                                    }});
}

void WorkerPulse::begin_unit(uint64_t number) {
  unit_began_ = nanoseconds(Clock::now());
  unit_ = number;
}

void WorkerPulse::end_unit(uint64_t executions) {
  unit_ = 0;
  busy_ += nanoseconds(Clock::now()) - unit_began_;
  executions_ += executions;
}

WorkerReport WorkerPulse::report() {
  const Clock::time_point now = Clock::now();
  int64_t busy = busy_;
  if (unit_ != 0) busy += nanoseconds(now) - unit_began_;
  return {++beats_, machine_, executions_, static_cast<double>(busy) / 1e9,
          std::chrono::duration<double>(now - began_).count()};
}

void WorkerPulse::beat(RedisConnection& redis) {
  if (const uint64_t unit = unit_; unit != 0) {
    const auto kept =
        redis.command({"EVAL", kKeepUnit, "1", keys_.units(), kGroup, std::to_string(unit) + "-1", worker_});
    if (kept && kept->kind == RedisReply::Integer && kept->integer == 0) lost_unit_ = unit;
  }
  redis.command({"HSET", keys_.workers(), worker_, pack(report())});
  const auto refused = redis.command({"SISMEMBER", keys_.refused(), worker_});
  if (refused && refused->integer == 1) refused_ = true;
  const auto over = redis.command({"EXISTS", keys_.over()});
  if (over && over->integer == 1) over_ = true;
  const auto alive = redis.command({"EXISTS", keys_.alive()});
  const Clock::time_point now = Clock::now();
  if (!alive || alive->integer == 1) heard_ = now;  // Redis itself may be gone: the coordinator need not be
  if (now - heard_ > kWithoutCoordinator) over_ = true;
}

}  // namespace lockstep
