// Policy::Blocks in the scheduler: reports steps to policies/atomic_blocks.hpp and takes the next thread from there.
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

void Scheduler::observe_block() {
  if (decided_ >= log_size) return;
  const Step& step = log[decided_];
  bool woke = false;
  if (step.kind == OpKind::CondSignal || step.kind == OpKind::CondBroadcast)
    enabled.for_each(words_, [&](ThreadId t) {
      woke |= !before_.contains(t) && thread(t).parked && thread(t).pending.kind == OpKind::Reacquire;
    });
  // A thread that has to wait is not preempted: its block ends, even in unpreemptible code.
  const Thread& t = thread(step.thread);
  const bool unpreemptible =
      (trusted_ && t.no_preempt > 0) || (is_outside_chosen(t) && live.contains(t.id) && enabled.contains(t.id));
  blocks.executed(
      step, decided_,
      {.woke_somebody = woke, .created_threads = created != created_before_, .unpreemptible = unpreemptible});
  decided_ = kNoStep;
}

Thread* Scheduler::pick_block(const ThreadSet& set) {
  // Timeouts fire only when no thread can run.
  bool only_timeouts = true;
  for (unsigned i = 0; i < words_; ++i) only_timeouts &= (set.word[i] & ~wide_timed_.word[i]) == 0;
  const ThreadId next = blocks.choose(
      log_size,
      [&](auto&& visit) {
        set.for_each(words_, [&](ThreadId t) {
          if (only_timeouts || !wide_timed_.contains(t)) visit(t);
        });
      },
      [&](ThreadId t) { return live.contains(t); },
      [&] {
        bool waiting = false;
        live.for_each(words_, [&](ThreadId t) {
          waiting |= !set.contains(t) && thread(t).parked && thread(t).pending.kind != OpKind::Join;
        });
        return waiting;
      });
  if (next == Blocks::kRedundant) end_redundant(Redundancy::BlocksElsewhere);
  return next == Blocks::kAsByDefault ? pick_default(set) : &thread(next);
}

}  // namespace lockstep::rt
