// Measures how long turns take, and moves processes to one core and back.
#include "target/cpu_affinity.hpp"

#include <algorithm>

namespace lockstep {
namespace {
constexpr uint32_t kTurnsToBelieve = 32;  // turns after which sharing a core begins
constexpr uint32_t kStay = 1 << 13;       // turns after which the operating system chooses a core again
constexpr int64_t kLong = 200'000;        // nanoseconds: in a longer turn, waking a core costs relatively little
// With this few plans in flight the search waits for its worker all the time; with many, both work at the same time.
constexpr uint64_t kFewForOne = 32, kFewEach = 8, kManyPlans = 64;
}  // namespace

CpuAffinity::CpuAffinity() : usable_(sched_getaffinity(0, sizeof everywhere_, &everywhere_) == 0) {
  if (!usable_) CPU_ZERO(&everywhere_);
}

void CpuAffinity::waited(std::span<const pid_t> workers, uint64_t plans, std::chrono::nanoseconds time) {
  if (plans <= (workers.size() == 1 ? kFewForOne : kFewEach * workers.size()))
    took_turns(workers, time);
  else if (plans > kManyPlans)
    part(workers);
}

void CpuAffinity::took_turns(std::span<const pid_t> workers, std::chrono::nanoseconds waited) {
  if (!usable_) return;
  turn_ += (waited.count() - turn_) / 8;
  if (!with_.empty() && (turns_ > kStay || turn_ > kLong || !std::ranges::equal(with_, workers))) part(workers);
  if (++turns_ < kTurnsToBelieve || turn_ > kLong || !with_.empty()) return;
  const int here = sched_getcpu();
  if (here < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(here), &one);
  with_.assign(workers.begin(), workers.end());
  usable_ = sched_setaffinity(0, sizeof one, &one) == 0;
  for (const pid_t worker : with_) (void)sched_setaffinity(worker, sizeof one, &one);
}

void CpuAffinity::part(std::span<const pid_t> workers) {
  turns_ = 0;
  if (with_.empty()) return;
  (void)sched_setaffinity(0, sizeof everywhere_, &everywhere_);
  for (const pid_t worker : with_)
    if (std::ranges::find(workers, worker) != workers.end())
      (void)sched_setaffinity(worker, sizeof everywhere_, &everywhere_);
  with_.clear();
}

}  // namespace lockstep
