// Tries schedules that may leave the cycle of a livelock.
#include "campaign/livelock_escape.hpp"

#include <fmt/format.h>

namespace lockstep {
namespace {

constexpr uint32_t kRandomOrders = 16, kFewestSteps = 1'000;

// The priorities for Policy::Priorities that let `first` run first: values for all threads up to `first`.
std::vector<uint64_t> first_of_all(ThreadId first) {
  std::vector<uint64_t> extra(index_of(first) + 2, 0);
  extra.front() = index_of(first) + 1;
  extra.back() = 1;
  return extra;
}

}  // namespace

std::string escape_from_livelock(Target& target, const Finding& livelock, const std::function<bool()>& stop) {
  const TraceView trace = livelock.trace;
  const uint32_t end = trace.header().steps, begin = trace.header().last_rounds;
  Plan plan = livelock.plan;
  plan.policy_at = std::max(begin, 1u);
  plan.policy_until = plan.policy_at + std::max(4 * (end - begin), kFewestSteps);
  const auto leaves = [&] {
    if (stop()) return false;
    const Trace other = target.run_detailed(plan).trace;
    if (other.empty()) return false;
    const Outcome outcome = other.view().outcome();
    return is_whole(outcome) ? outcome != Outcome::Livelock : outcome == Outcome::StepLimit;
  };
  for (const Step& next : trace.pending()) {
    plan.policy = Policy::Priorities;
    plan.extra = first_of_all(next.thread);
    if (leaves()) return fmt::format("it ends if {} runs first", name_of(next.thread));
  }
  plan.policy = Policy::Random;
  plan.extra.clear();
  for (plan.seed = 1; plan.seed <= kRandomOrders; ++plan.seed)
    if (leaves()) return "it ends under other schedules";
  return {};
}

}  // namespace lockstep
