// Decides where executions are saved and from which checkpoint they start.
#include "runtime/serve/checkpoint_policy.hpp"

#include "runtime/backend/backend.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/detect/call_sites.hpp"
#include "runtime/sched/native_loops.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
namespace {

constexpr uint64_t kFault = 8'000;  // cycles
constexpr uint64_t kCheckEvery = 1000;
// Measures one in this many short executions: reading the time costs as much as some steps.
constexpr unsigned kMeasureOneIn = 16;

uint64_t cycles() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return 32 * ticks;
#endif
}

// The number of first records in which two plans give the same execution.
uint32_t common(const PlanHeader& a, const PlanHeader& b) {
  if (a.policy != b.policy || a.max_steps != b.max_steps) return 0;
  uint32_t i = 0;
  const Delta *x = a.delta_list(), *y = b.delta_list();
  while (i < a.deltas && i < b.deltas && x[i] == y[i] && x[i].step != kNextDecision) ++i;
  uint32_t step = kNoStep;
  for (const PlanHeader* plan : {&a, &b}) {
    if (i < plan->deltas) {
      const uint32_t next = plan->delta_list()[i].step;
      const uint32_t at = next == kNextDecision ? (i ? plan->delta_list()[i - 1].step : 0) : next;
      if (at < step) step = at;
    }
    const bool blocks = plan->policy == Policy::Blocks;
    if (blocks && plan->sleep_at == kNoStep) return 0;
    if ((plan->sleepers || blocks) && plan->sleep_at < step) step = plan->sleep_at;
  }
  return step;
}

// The last record that the plan has a delta for.
uint32_t last_order(const PlanHeader& plan) {
  for (uint32_t i = plan.deltas; i-- > 0;)
    if (plan.delta_list()[i].step != kNextDecision) return plan.delta_list()[i].step;
  return 0;
}

}  // namespace

CheckpointPolicy* CheckpointPolicy::create(CheckpointUse use) {
  auto* policy = static_cast<CheckpointPolicy*>(map_unsaved_pages(sizeof(CheckpointPolicy)));
  policy->use_ = use;
  if (use == CheckpointUse::Off) return policy;
  policy->points_.init();
  policy->cost_.init();
  policy->next_check_ = 1;
  return policy;
}

unsigned CheckpointPolicy::begin(const PlanHeader& plan, const PlanHeader* (*after)(const PlanHeader*)) {
  from_ = 0;
  began_ = 0;
  target_ = 0;
  resumable_ = false;
  if (use_ == CheckpointUse::Off) return 0;
  // Found loops and removed calls must not be undone, but their patches of the code are not part of a checkpoint.
  if (UNLIKELY(native_loops_known() || call_sites.in_use())) {
    turn_off();
    return 0;
  }
  const uint32_t settings = runtime.channel->settings_version.load(std::memory_order_acquire);
  if (UNLIKELY(settings != settings_)) run_from_beginning();
  settings_ = settings;
  const bool always = use_ == CheckpointUse::Always;
  const bool quick = !always && cost_.too_short();
  if (quick && cost_.has_measured() && ++unmeasured_ < kMeasureOneIn) return 0;
  unmeasured_ = 0;
  began_ = since_ = cycles();
  if (quick) return 0;
  plan_ = &plan;
  resumable_ = can_resume(plan);
  if (resumable_) {
    const PlanHeader* next = after(&plan);
    target_ = next && can_resume(*next) ? common(plan, *next) : last_order(plan);
    // Depth-first: the next schedule branches off near the end of this one, wherever that is.
    if (plan.policy == Policy::Blocks && !next) target_ = records_before_;
    if (always && target_ == 0) target_ = kNoStep / 2;
  }
  return from_ = points_.reached_by(plan);
}

Thread& CheckpointPolicy::resume_checkpoint() {
  const uint64_t begin = cycles();
  count_unused(from_);
  used_[from_ - 1] = true;
  cost_.used();
  Thread& decider = points_.resume(from_ - 1, *plan_);
  aim(points_.records(from_ - 1));
  since_ = cycles();
  cost_.resumed(since_ - begin + kFault * (points_.faults() - faults_));
  faults_ = points_.faults();
  runtime.channel->resumed.store(++resumed_, std::memory_order_relaxed);
  return decider;
}

void CheckpointPolicy::count_unused(unsigned from) {
  for (unsigned i = from; i < points_.count(); ++i)
    if (!used_[i]) cost_.unused();
}

void CheckpointPolicy::run_from_beginning() {
  from_ = 0;
  if (use_ == CheckpointUse::Off) return;
  count_unused(0);
  points_.forget();
}

void CheckpointPolicy::end() {
  if (began_ && !from_) cost_.took(cycles() - began_);
  records_before_ = scheduler().log_size;
}

// A checkpoint at the first decision skips everything before it, however few steps follow.
void CheckpointPolicy::started() {
  if (!from_ && resumable_ && cost_.is_long()) return scheduler().stop_to_save(0);
  aim(0);
}

// Chooses the record of the next checkpoint: half-way to where executions will differ, so that returning a little
// further costs little more.
void CheckpointPolicy::aim(uint32_t position) {
  if (target_ <= position) return scheduler().stop_to_save(kNoStep);
  const uint32_t half = (target_ - position) / 2;
  const bool enough = use_ == CheckpointUse::Always || half >= 64 || cost_.is_long();
  scheduler().stop_to_save(half && enough ? position + (target_ == kNoStep / 2 ? 3 : half) : kNoStep);
}

void CheckpointPolicy::reached() {
  Thread& me = self();
  const uint32_t here = scheduler().log_size;
  if (use_ != CheckpointUse::Always && !cost_.pays(cycles() - since_)) {
    aim(here);
    return;
  }
  requester_ = &me;
  runtime.running = false;
  runtime.current = runtime.controller;
  fiber::switch_to(me, *runtime.controller);
}

Thread* CheckpointPolicy::save_if_requested() {
  Thread* who = requester_;
  if (!who) return nullptr;
  requester_ = nullptr;
  const uint64_t begin = cycles();
  const uint32_t here = scheduler().log_size;
  const unsigned number = points_.count();
  if (points_.save(*plan_, *who)) {
    used_[number] = false;
    aim(here);
  } else {
    scheduler().stop_to_save(kNoStep);
  }
  since_ = cycles();
  cost_.saved(since_ - begin);
  return who;
}

bool CheckpointPolicy::check_due() {
  if (!from_ || resumed_ < next_check_) return false;
  next_check_ = resumed_ < kCheckEvery ? 8 * resumed_ : resumed_ + kCheckEvery;
  return true;
}

void CheckpointPolicy::turn_off() {
  points_.forget();
  use_ = CheckpointUse::Off;
  from_ = 0;
}

const Module checkpoint_module = {
    .name = "checkpoints",
    .start =
        [] {
          const Channel& channel = *runtime.channel;
          const bool can_save =
              runtime.fibers && runtime.isolation == Isolation::Reset && !channel.debug && !channel.find_leaks;
          the_checkpoint_policy = CheckpointPolicy::create(can_save ? channel.checkpoints : CheckpointUse::Off);
        },
    .before_execution = [] { checkpoint_policy().started(); },
};

}  // namespace lockstep::rt
