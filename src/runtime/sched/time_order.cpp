// The order in which sleeps and timed waits end (docs/decisions/0014-time.md).
//
// A sleep or timed wait with deadline d may end before an operation f of another thread only if d <= t(f) + max_delay,
// where t(f) is the time since when f could run. The thread with the earliest time is never held back.
#include "runtime/process/facts.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/virtual_clock.hpp"

namespace lockstep::rt {

// Is the next step of a thread that can run, or give up, the end of a sleep or timed wait?
bool Scheduler::waits_for_time(const Thread& t) const {
  return enabled.contains(t.id) ? dormant.contains(t.id) && !has_signals(t) : timed.contains(t.id);
}

void Scheduler::order_by_time() {
  ready_.copy(enabled, words_);
  held_.clear(words_);
  due_.clear(words_);
  waiting_.clear(words_);
  if (LIKELY(dormant.empty(words_) && timed.empty(words_))) return;
  uint64_t earliest = ~0ull, earliest_operation = ~0ull;  // of all threads, and of those that do not wait for time
  const auto smaller = [](uint64_t a, uint64_t b) { return a < b ? a : b; };
  const auto time_of = [&](const Thread& t) {
    if (waiting_.contains(t.id)) return t.deadline > t.clock ? t.deadline : t.clock;
    return virtual_clock.ready_since(t, next_step(t));
  };
  ThreadSet all;
  all.copy(enabled, words_);
  for (unsigned i = 0; i < words_; ++i) all.word[i] |= timed.word[i];
  all.for_each(words_, [&](ThreadId id) {
    const Thread& t = thread(id);
    if (waits_for_time(t)) waiting_.add(id);
    const uint64_t time = time_of(t);
    if (time < earliest) earliest = time, earliest_ = id;
    if (!waiting_.contains(id)) earliest_operation = smaller(earliest_operation, time);
  });
  earliest_time = earliest;
  waiting_.for_each(words_, [&](ThreadId id) {
    const uint64_t time = time_of(thread(id));
    if (time - earliest > max_delay) {
      held_.add(id);
      ready_.remove(id);
      return;
    }
    if (enabled.contains(id) || time > earliest_operation) return;
    due_.add(id);
    ready_.add(id);
  });
  // An independent step may allow a wait to end, but reductions consider the two orders equal.
  if (!held_.empty(words_)) reasons.add(Reason::Delay);
}

// Records the delay if the end of a sleep or timed wait was chosen before an earlier possible step.
void Scheduler::note_delay(const Thread& chosen) {
  if (LIKELY(!waiting_.contains(chosen.id))) return;
  const uint64_t time = chosen.deadline > chosen.clock ? chosen.deadline : chosen.clock;
  if (time - earliest_time > delay.nanoseconds) delay = {time - earliest_time, log_size, earliest_, 0};
}

// A sleep, or a wait that can time out, begins.
void Scheduler::begin_timed() {
  if (live_count > 1) notice(FactKind::TimedOperations);
}

void Scheduler::sleep_until(uint64_t deadline) {
  Thread& me = *runtime.current;
  me.deadline = deadline;
  begin_timed();
  dormant.add(me.id);
  refresh_simple();
  reach(OpKind::Sleep, nullptr, Step::kYield);
  dormant.remove(me.id);
  refresh_simple();
}

}  // namespace lockstep::rt
