#include "runtime/sched/livelock.hpp"

namespace lockstep::rt {
namespace {

bool same_step(const Step& a, const Step& b) {
  return a.thread == b.thread && a.kind == b.kind && a.object == b.object &&
         (a.flags & Step::kWrite) == (b.flags & Step::kWrite);
}

// Locks that are taken and released are as before; memory that is written need not be.
bool changes_memory(const Step& step) {
  const bool writes = step.flags & Step::kWrite;
  return step.kind == OpKind::Store || step.kind == OpKind::Rmw || step.kind == OpKind::PlainWrite ||
         (step.kind == OpKind::Cas && writes);
}

// The smallest period of the last `window` steps, 0 if they do not repeat at least four times.
uint32_t period_of(const Step* log, uint32_t size, uint32_t window) {
  const Step* end = log + size;
  for (uint32_t p = 1; p <= window / 4; ++p) {
    uint32_t i = 1;
    while (i <= window - p && same_step(end[-static_cast<int64_t>(i)], end[-static_cast<int64_t>(i + p)])) ++i;
    if (i > window - p) return p;
  }
  return 0;
}

}  // namespace

Outcome judge_long_execution(const Scheduler& s, char* text, size_t size) {
  const uint32_t window = 1000 > 10 * s.live_count ? 1000 : 10 * s.live_count;
  if (s.log_size < 2 * window) return Outcome::StepLimit;
  const uint32_t period = period_of(s.log, s.log_size, window);
  if (!period) return Outcome::StepLimit;
  bool writes = false;
  ThreadSet scheduled{}, yielded{}, always = s.enabled, ever = s.enabled;
  for (uint32_t i = s.log_size - window; i < s.log_size; ++i) {
    const Step& step = s.log[i];
    if (step.is_note() || step.is_choice()) continue;
    scheduled.add(step.thread);
    writes = writes || changes_memory(step);
    if (step.flags & Step::kYield) yielded.add(step.thread);
    if (step.flags & Step::kWide) continue;
    always.word[0] &= step.enabled;
    ever.word[0] |= step.enabled;
  }
  bool fair = true;
  ThreadId selfish = kNoThread, victim = kNoThread;
  s.live.for_each(s.words(), [&](ThreadId t) {
    if (scheduled.contains(t) && !yielded.contains(t)) {
      fair = false;
      selfish = t;
    }
    if (!scheduled.contains(t) && always.contains(t)) fair = false;
    if (!scheduled.contains(t) && ever.contains(t)) victim = t;
  });
  if (fair) {
    format(text, size, "all threads run, but the same %u steps repeat forever", uint64_t{period});
    return Outcome::Livelock;
  }
  // A loop that writes may be on its way: the same steps need not lead to the same state.
  if (selfish != kNoThread && victim != kNoThread && !writes) {
    format(text, size,
           "thread %u repeats the same %u steps forever without yielding, while thread %u could run (good-samaritan "
           "violation)",
           uint64_t{index_of(selfish)}, uint64_t{period}, uint64_t{index_of(victim)});
    return Outcome::Livelock;
  }
  return Outcome::StepLimit;
}

}  // namespace lockstep::rt
