// Chooses the next thread wherever the plain default schedule is not enough: plans, policies, sleep sets.
#include <algorithm>

#include "model/waits_for_ever.hpp"
#include "runtime/sched/livelock.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"
#include "runtime/sched/trusted_sections.hpp"

#include "runtime/base/runtime.hpp"
#include "runtime/base/settings.hpp"
#include "runtime/detect/promoted_accesses.hpp"
#include "runtime/process/facts.hpp"

namespace lockstep::rt {

// Computes the first record at which a decision must take the slow path.
void Scheduler::refresh_stop() {
  stop_at_ = max_steps_;
  if (delta_ < delta_count_) {
    const uint32_t step = deltas_[delta_].step == kNextDecision ? 0 : deltas_[delta_].step;
    if (step < stop_at_) stop_at_ = step;
  }
  for (const uint32_t at : {sleep_at_, save_at_, policy_at_, policy_until_, turn_at_, full_at_})
    if (at < stop_at_) stop_at_ = at;
}

// A random schedule of a program that goes round for ever never ends, and that a state comes back under it says
// nothing. So the default schedule, which finds cycles, takes a turn now and then, always after twice as many records.
void Scheduler::change_policy() {
  constexpr uint32_t kFairTurn = 1u << 14;
  const bool ends = log_size >= policy_until_;
  policy_ = ends ? Policy::Default : settings.plan->policy;
  policy_at_ = kNoStep;
  if (ends) policy_until_ = kNoStep;
  if (fair_turns_ && ends) {
    cycles_ = {};  // what was seen before a random turn does not count
    policy_at_ = log_size + kFairTurn;
    policy_until_ = log_size < kNoStepLimit / 2 ? 2 * log_size : kNoStep;
  } else if (fair_turns_) {
    decided_ = log_size;
  }
  refresh_stop();
  refresh_simple();
}

// Ends a long turn of the running thread: the default schedule lets the others run, as after a yield. The thread
// remains a candidate, so no execution is lost.
void Scheduler::end_turn() {
  const Thread& me = *runtime.current;
  Step& step = log[log_size - 1];
  const bool is_step = step.thread == last_ && !step.is_note() && !step.is_choice();
  turn_at_ = log_size + (is_step ? kLongTurn : 1);
  refresh_stop();
  if (!is_step || last_ != me.id || log_size - turn_began_ < kLongTurn || policy_ == Policy::Blocks) return;
  if (me.no_preempt || (enabled.size(words_) == enabled.contains(me.id) && timed.empty(words_))) return;
  constexpr uint64_t kStepTime = 5'000;
  begin_yield(step, kLongTurn * kStepTime);
}

// Does the plan have a delta for this decision? If the plan does not fit the records, the execution ends.
bool Scheduler::planned(uint16_t* value) {
  if (delta_ == delta_count_) return false;
  const Delta& delta = deltas_[delta_];
  if (delta.step != kNextDecision) {
    if (delta.step > log_size) return false;
    if (delta.step < log_size) diverge();
  }
  *value = delta.value;
  ++delta_;
  refresh_stop();
  return true;
}

void Scheduler::diverge() { end(Outcome::Diverged); }

// The plan wants a thread that cannot run. A tentative delta tries whether a step can come before the event it was seen
// to wait for: a lock, the change that a spin loop needs, or another thread's turn under fairness or time order. Under
// the latter two it may also come before the steps that precede it.
void Scheduler::refuse(uint16_t wanted) {
  const bool known = wanted < kMaxThreads && live.contains(ThreadId{wanted}) && thread(ThreadId{wanted}).parked;
  const bool too_early = known && held_.contains(ThreadId{wanted});
  const bool unfair = known && fairness_.active() && enabled.contains(ThreadId{wanted});
  const bool tentative = deltas_[delta_count_ - 1].tentative;
  if (!too_early && (!known || !tentative || (delta_ != delta_count_ && !unfair))) diverge();
  end_redundant(Redundancy::CannotGoOn);
}

// Is the thread in code that --preempt-in does not name? A thread that has yielded is not preempted when others run.
bool Scheduler::is_outside_chosen(const Thread& t) const {
  return chosen_only_ && t.chosen_sp == 0 && !(last_ == t.id && last_yielded_);
}

// Computes the candidates: the threads that can run, restricted by fairness and unpreemptible regions, plus the timed
// waiters that the timeout policy allows to give up.
void Scheduler::find_candidates(ThreadSet& set) {
  Thread& me = *runtime.current;
  if (UNLIKELY(me.section_sp != 0) && trusted_sections.was_left(me.section_sp)) {
    me.section_sp = 0;
    forbid_preemption(false);
  }
  if (UNLIKELY(me.chosen_sp != 0) && trusted_sections.was_left(me.chosen_sp)) me.chosen_sp = 0;
  if ((me.no_preempt || is_outside_chosen(me)) && enabled.contains(me.id)) {
    if (enabled.size(words_) > 1 || (timeouts != Timeouts::Stuck && !timed.empty(words_)))
      reasons.add(Reason::Unpreemptible);
    set.clear(words_);
    set.add(me.id);
    return;
  }
  set.copy(ready_, words_);
  // Reductions consider executions equal in which a thread that fairness holds back runs before the others.
  const auto lost = [](uint64_t loop) { notice(FactKind::SpinRounds, reinterpret_cast<const void*>(loop)); };
  if (fairness_.active() && fairness_.restrict(set, words_, lost)) reasons.add(Reason::Fairness);
  bool only_due = true;
  for (unsigned i = 0; i < words_; ++i) only_due &= (set.word[i] & ~due_.word[i]) == 0;
  for (unsigned i = 0; i < words_; ++i) {
    if (timeouts != Timeouts::Stuck || only_due)
      set.word[i] |= timed.word[i] & ~held_.word[i];
    else
      set.word[i] &= ~due_.word[i];
  }
}

Thread* Scheduler::choose_slow() {
  need_room();
  if (UNLIKELY(log_size >= save_at_)) client_.save_checkpoint();
  if (UNLIKELY(log_size >= policy_at_ || log_size >= policy_until_)) change_policy();
  if (UNLIKELY(log_size >= turn_at_)) end_turn();
  if (policy_ == Policy::Blocks) observe_block();
  order_by_time();
  if (fairness_.active() && last_ != kNoThread)
    fairness_.step(last_, last_yielded_ && yield_is_fair_, loop_, before_, ready_, live, words_);
  before_.copy(ready_, words_);
  if (sleeping_) wake_sleepers();
  ThreadSet set;
  find_candidates(set);
  wide_offered_.copy(set, words_);
  for (unsigned i = 0; i < words_; ++i) wide_timed_.word[i] = set.word[i] & timed.word[i] & ~enabled.word[i];
  offered_ = set.word[0];
  if (set.empty(words_)) {
    if (spinners) return choose_among_spinners();
    if (client_.outside_event_came()) return choose_slow();
    end(Outcome::Deadlock);
  }
  if (log_size >= max_steps_) end(Outcome::StepLimit);
  if (log_size >= sleep_at_) fall_asleep();
  Thread* chosen = choose_among(set);
  note_delay(*chosen);
  if (sleeping_) note_sleepers(chosen->id);
  if (policy_ == Policy::Blocks) {
    decided_ = log_size;
    trusted_ = chosen->no_preempt > 0;
    created_before_ = created;
  }
  return chosen;
}

// Chooses by the plan first, then by its policy.
Thread* Scheduler::choose_among(ThreadSet& set) {
  uint16_t wanted = 0;
  if (planned(&wanted)) {
    if (wanted >= 64 * words_ || !set.contains(ThreadId{wanted})) refuse(wanted);
    if (policy_ == Policy::Blocks) blocks.follows_plan(ThreadId{wanted}, log_size);
    return &thread(ThreadId{wanted});
  }
  if (policy_ == Policy::Blocks) {
    Thread* chosen = pick_block(set);
    if (chosen != pick_default(set) && block_delta_count_ < kMostBlockDeltas)
      block_delta_[block_delta_count_++] = {log_size, static_cast<uint16_t>(index_of(chosen->id))};
    return chosen;
  }
  if (is_random(policy_)) return &thread(pick_random(set));
  if (sleeping_) {
    for (unsigned i = 0; i < words_; ++i) set.word[i] &= ~asleep_.word[i];
    if (set.empty(words_)) end_redundant(Redundancy::AllAsleep);
  }
  if (policy_ == Policy::Priorities) return pick_by_priority(set);
  if (policy_ == Policy::Guided) {
    const ThreadId guided = guided_.choose([&](ThreadId t) { return index_of(t) < 64 * words_ && set.contains(t); });
    if (guided != kNoThread) return &thread(guided);
  }
  return pick_default(set);
}

// --- random policies ---

ThreadId Scheduler::pick_random(const ThreadSet& set) {
  switch (policy_) {
    case Policy::Pct: return pick_pct(set);
    case Policy::Pos: return pick_pos(set);
    case Policy::Surw: return pick_surw(set);
    default: return set.nth(static_cast<unsigned>(random() * set.size(words_) >> 32));
  }
}

ThreadId Scheduler::pick_pct(const ThreadSet& set) {
  const bool gave_up = decided_ < log_size && log[decided_].kind == OpKind::Timeout;
  const ThreadId tired = last_yielded_ || gave_up ? last_ : kNoThread;
  decided_ = log_size;
  const auto each = [&](auto&& visit) { set.for_each(words_, visit); };
  if (pct_.of_variables())
    return pct_.choose(each, tired, [&](ThreadId t) { return static_cast<uint64_t>(thread(t).pending.object); });
  return pct_.choose(each, tired);
}

Thread* Scheduler::pick_by_priority(const ThreadSet& set) {
  bool only_timeouts = true;
  for (unsigned i = 0; i < words_; ++i) only_timeouts &= (set.word[i] & ~wide_timed_.word[i]) == 0;
  const auto each = [&](auto&& visit) {
    set.for_each(words_, [&](ThreadId t) {
      if (only_timeouts || !wide_timed_.contains(t)) visit(t);
    });
  };
  return &thread(priorities_.choose(log_size, each, last_, last_yielded_));
}

ThreadId Scheduler::pick_pos(const ThreadSet& set) {
  if (decided_ < log_size) {
    const Operation done = promoted.canonical(log[decided_].operation());
    const AccessList list = accesses(done);
    const auto touches = [&](ObjectId object) {
      return std::any_of(list.begin(), list.end(), [&](const Access& a) { return a.object == object; });
    };
    const bool may_rename = promoted.aliased() || done.kind == OpKind::ProcessExit;
    const auto depends = [&](ThreadId t) {
      const Step& waits = thread(t).pending;
      if (!may_rename && !thread(t).signalled && accesses_only_its_object(waits.kind) && !touches(waits.object))
        return false;
      const Step pending = next_step(thread(t));
      Operation next = promoted.canonical(pending.operation());
      next.writes = client_.would_write(pending);
      return dependent(done, next);
    };
    pos_.executed(
        done.thread, [&](auto&& visit) { live.for_each(words_, visit); }, depends);
  }
  decided_ = log_size;
  return pos_.choose([&](auto&& visit) { set.for_each(words_, visit); });
}

ThreadId Scheduler::pick_surw(const ThreadSet& set) {
  return surw_.choose(
      [&](auto&& visit) { set.for_each(words_, visit); },
      [&](ThreadId t) { return focus_ == kNoObject || concerns(thread(t).pending.operation(), focus_); });
}

// --- sleep sets: see plan.hpp for what they mean ---

void Scheduler::fall_asleep() {
  for (uint32_t i = 0; i < sleeper_count_; ++i)
    if (sleepers_[i] < kMaxThreads) asleep_.add(ThreadId{sleepers_[i]});
  sleeping_ = sleeper_count_ > 0;
  sleep_at_ = kNoStep;
  refresh_stop();
  refresh_simple();
}

// Stores the pending operations of the sleepers, before the step that is about to run changes them.
void Scheduler::note_sleepers(ThreadId chosen) {
  asleep_.remove(chosen);
  decided_ = log_size;
  asleep_.for_each(words_, [&](ThreadId t) {
    const Step pending = next_step(thread(t));
    thread(t).asleep_before = promoted.canonical(pending.operation());
    thread(t).asleep_before.writes = client_.would_write(pending);
  });
}

void Scheduler::wake_sleepers() {
  if (decided_ >= log_size) return;
  const Operation done = promoted.canonical(log[decided_].operation());
  ThreadSet sleepers;
  sleepers.copy(asleep_, words_);
  sleepers.for_each(words_, [&](ThreadId t) {
    if (!live.contains(t) || dependent(thread(t).asleep_before, done)) asleep_.remove(t);
  });
  sleeping_ = !asleep_.empty(words_);
  refresh_simple();
}

Thread* Scheduler::choose_among_spinners() {
  // Twice in a row without any change by any thread: no spinner will ever leave its loop.
  uint64_t changes = created + 1;
  bool only_calls = true;
  live.for_each(words_, [&](ThreadId t) {
    count_plain_writes(thread(t));
    changes += thread(t).effects - thread(t).unchanging;
    only_calls &= !thread(t).spinning || thread(t).repeats_call;
  });
  if (changes == spinners_tried_ && !client_.outside_event_came()) {
    last_rounds = tried_at_;
    end(Outcome::Livelock, only_calls ? kWaitsInCalls : 0);
  }
  spinners_tried_ = changes;
  tried_at_ = log_size;
  try_spinners_again();
  return choose_slow();
}

// Must agree with default_thread() in model/schedule.cpp: plans are deviations from this choice.
Thread* Scheduler::pick_default(const ThreadSet& set) {
  ThreadSet eligible;
  eligible.copy(set, words_);
  bool only_timeouts = true;
  for (unsigned i = 0; i < words_; ++i) only_timeouts &= (set.word[i] & ~wide_timed_.word[i]) == 0;
  if (!only_timeouts)
    for (unsigned i = 0; i < words_; ++i) eligible.word[i] &= ~wide_timed_.word[i];
  if (last_ != kNoThread && !last_yielded_ && eligible.contains(last_)) return &thread(last_);
  if (last_yielded_ && eligible.contains(last_)) {
    eligible.remove(last_);
    if (eligible.empty(words_)) return &thread(last_);
  }
  if (last_yielded_ || (policy_ == Policy::RoundRobin && last_ != kNoThread)) {
    const ThreadId above = eligible.from(index_of(last_) + 1, words_);
    if (above != kNoThread) return &thread(above);
  }
  return &thread(eligible.from(0, words_));
}

}  // namespace lockstep::rt
