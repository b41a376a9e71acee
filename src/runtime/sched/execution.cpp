// The beginning of an execution, and its live, enabled and timed threads.
#include "runtime/base/settings.hpp"
#include "runtime/base/trace_limits.hpp"
#include "runtime/detect/promoted_accesses.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/process/preemptible_code.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

void Scheduler::init(size_t max_records) {
  threads_ = runtime.threads;
  constexpr size_t kLeast = 2 * kCountedTogether;
  max_log_ = (max_records < kLeast ? kLeast : max_records) + kNotesRoom;
  log = log_memory_ = static_cast<Step*>(map_unsaved_pages(max_log_ * sizeof(Step)));
  sets = static_cast<uint64_t*>(map_unsaved_pages(kSetWords * 8));
  stacks = static_cast<uint64_t*>(map_unsaved_pages(kStackWords * 8));
  fairness_.init();
}

void Scheduler::begin(const PlanHeader& plan, const Delta* deltas, const uint16_t* sleepers) {
  for (ThreadSet* set :
       {&live, &enabled, &timed, &dormant, &asleep_, &wide_offered_, &wide_timed_, &held_, &due_, &ready_, &before_})
    set->clear(words_);
  static_cast<ExecutionRecord&>(*this) = {};
  static_cast<DecisionState&>(*this) = {};
  detail = plan.detail || plan.stacks;
  describes_all_ = plan.described == 0;
  described_ = plan.described_list();
  described_end_ = described_ + plan.described;
  max_steps_ = plan.max_steps < kNoStepLimit ? plan.max_steps : kNoStepLimit;
  log = log_memory_;
  counts_records_ = is_random(plan.policy) && !plan.stacks;
  const bool whole = !counts_records_ || plan.whole || plan.detail;
  full_at_ = whole ? static_cast<uint32_t>(max_log_ - kNotesRoom) : 2 * kCountedTogether;
  chosen_only_ = preemptible_code.any();
  fairness_.begin();
  begin_policy(plan);
  take_plan(plan, deltas, sleepers);
  refresh_simple();
}

void Scheduler::begin_policy(const PlanHeader& plan) {
  policy_ = plan.policy_at ? Policy::Default : plan.policy;
  policy_at_ = plan.policy_at ? plan.policy_at : kNoStep;
  policy_until_ = plan.policy_until;
  // The bound of pct holds only if all changes of priorities are its own.
  fair_turns_ = is_random(plan.policy) && plan.policy != Policy::Pct && plan.policy_until == kNoStep;
  if (fair_turns_) policy_until_ = kFirstFairTurn + plan.policy_at;
  random_state_ = (plan.seed + 1) * 0x9e3779b97f4a7c15ull | 1;
  focus_ = plan.focus;
  switch (plan.policy) {
    case Policy::Pct:
      if (plan.extra_words)
        pct_.begin(plan.seed, plan.pct_depth, plan.extra(), plan.extra_words);
      else
        pct_.begin(plan.seed, plan.pct_depth, plan.pct_horizon);
      break;
    case Policy::Pos: pos_.begin(plan.seed); break;
    case Policy::Surw: surw_.begin(plan.seed, plan.extra(), plan.extra_words); break;
    case Policy::Priorities: priorities_.begin(plan.extra(), plan.extra_words); break;
    case Policy::Guided: guided_.begin(plan.extra(), plan.extra_words); break;
    case Policy::Blocks:
    case Policy::Default:
    case Policy::Random:
    case Policy::RoundRobin: break;
  }
  surveys_ = plan.survey;
  if (!records_memory()) return;
  const bool blind = !runtime.instrumented || !race_detector.on();
  blocks.init(map_pages);
  if (in_blocks())
    blocks.begin(plan.extra(), plan.extra_words, plan.sleep_at, blind);
  else
    blocks.begin_survey(blind);
}

void Scheduler::take_plan(const PlanHeader& plan, const Delta* deltas, const uint16_t* sleepers) {
  deltas_ = deltas;
  delta_count_ = plan.deltas;
  sleepers_ = sleepers;
  sleeper_count_ = plan.sleepers;
  sleep_at_ = plan.sleepers ? plan.sleep_at : kNoStep;
  save_at_ = kNoStep;
  refresh_stop();
}

// Random schedules follow from their seed: the records of long executions are counted and then dropped.
void Scheduler::make_room() {
  constexpr int kNoRoom = 1;
  if (!counts_records_) end(Outcome::StepLimit, kNoRoom);
  if (first_kept == 0) counter_.begin(map_unsaved_pages);
  count_records();
  const uint32_t first = log_size - kCountedTogether;
  for (uint32_t i = first; i < log_size; ++i) log_memory_[i - first] = log[i];
  log = log_memory_ - first;
  first_kept = first;
  full_at_ = log_size + kCountedTogether;
  set_words = stack_words = 0;  // of the records counted
  refresh_stop();
}

void Scheduler::count_records() {
  for (uint32_t i = counted_; i < log_size; ++i) {
    const Step& step = log[i];
    const bool wide = step.flags & Step::kWide;
    const uint64_t* set = wide ? sets + step.enabled + 1 : &step.enabled;
    const unsigned words = wide ? static_cast<unsigned>(set[-1]) : 1;
    const ThreadSetView timed = wide ? ThreadSetView(set + words, words) : ThreadSetView(nullptr, 0);
    counter_.add(step, promoted.canonical(step.operation()), ThreadSetView(set, words), timed);
  }
  counted_ = log_size;
}

void Scheduler::refresh_simple() {
  simple_ = words_ == 1 && timed.word[0] == 0 && dormant.word[0] == 0 && !fairness_.active() && unpreemptible_ == 0 &&
            !sleeping_ && !chosen_only_;
  straight_ = simple_ && policy_ == Policy::Default && !detail && !runtime.time_moved;
}

void Scheduler::add_thread(Thread& t) {
  const unsigned needed = index_of(t.id) / 64 + 1;
  if (needed > words_) {
    words_ = needed;
    refresh_simple();
  }
  live.add(t.id);
  ++live_count;
  born[created++] = t.id;
}

void Scheduler::remove_thread(Thread& t) {
  live.remove(t.id);
  enabled.remove(t.id);
  --live_count;
}

void Scheduler::enable(Thread& t, bool can_run) {
  if (UNLIKELY(t.signalled)) {  // can run, to take its signal
    t.could_run = can_run;
    return;
  }
  enabled.put(t.id, can_run);
  if (t.pending.flags & Step::kTimed) {
    // A condition waiter that was woken in time waits for the mutex only, and can no longer time out.
    const bool may_give_up = !can_run && !(t.pending.kind == OpKind::Reacquire && t.woken);
    if (may_give_up && !timed.contains(t.id)) begin_timed();
    timed.put(t.id, may_give_up);
    if (may_give_up) reasons.add(Reason::Timeout);
    refresh_simple();
  }
}

// Enables a waiting thread so that it takes a signal.
void Scheduler::interrupt(Thread& t) {
  t.signalled = true;
  t.could_run = false;
  timed.remove(t.id);
  enabled.add(t.id);
  refresh_simple();
}

void Scheduler::forbid_preemption(bool on) {
  Thread& me = *runtime.current;
  if (on) {
    if (me.no_preempt++ == 0) ++unpreemptible_;
  } else if (me.no_preempt && --me.no_preempt == 0) {
    --unpreemptible_;
  }
  refresh_simple();
}

// Plain accesses in a section need not be scheduling points, but the order of the section against other sections
// matters. Reading the same values again in a section is still spinning.
void Scheduler::border_of_section(bool begins) {
  Thread& me = *runtime.current;
  const uint32_t effects = me.effects;
  reach(OpKind::AtomicSection, nullptr, 0, true, Companion::section(begins));
  me.effects = effects;
}

void Scheduler::begin_atomic_section() {
  if (!runtime.current->no_preempt) {
    border_of_section(true);
    if (live_count > 1) reasons.add(Reason::Unpreemptible);
  }
  forbid_preemption(true);
}

void Scheduler::end_atomic_section() {
  forbid_preemption(false);
  if (!runtime.current->no_preempt) border_of_section(false);
}

const Module scheduler_module = {
    .name = "scheduler",
    .start =
        [] {
          const Channel& channel = *runtime.channel;
          scheduler().timeouts = channel.timeouts;
          scheduler().spin_rounds = channel.spin_rounds;
          scheduler().init(channel.max_records);
        },
    .before_execution =
        [] {
          const PlanHeader& plan = *settings.plan;
          const uint32_t limit = runtime.channel->max_delay_ms;
          scheduler().max_delay = limit == kAnyDelay ? ~0ull : limit * 1'000'000ull;
          scheduler().begin(plan, plan.delta_list(), plan.sleeper_list());
        },
};

}  // namespace lockstep::rt
