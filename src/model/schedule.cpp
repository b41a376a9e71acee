// Reads a trace as a schedule: costs of decisions, the default schedule, the plan of a trace.
#include "model/schedule.hpp"

#include <algorithm>

namespace lockstep {

ScheduleCursor::ScheduleCursor(TraceView trace, uint32_t index, uint32_t preemptions)
    : trace_(trace), steps_(trace.steps()), index_(index), preemptions_(preemptions) {
  for (uint32_t i = index; i-- > 0;) {
    const Step& before = steps_[i];
    if (before.is_note() || before.is_choice()) continue;
    running_ = before.thread;
    yielded_ = before.flags & Step::kYield;
    break;
  }
}

uint32_t ScheduleCursor::unusual_cost(ThreadId next) const {
  if (step().is_choice() || step().is_note()) return 0;
  return cost_of_switch(trace_.enabled(step()), trace_.timed(step()), running_, yielded_, next);
}

uint16_t ScheduleCursor::unusual_default() const {
  if (step().is_choice()) return 0;
  if (step().is_note()) return taken();
  return static_cast<uint16_t>(default_thread(trace_.enabled(step()), trace_.timed(step()), running_, yielded_));
}

ThreadId default_thread(const ThreadSetView& enabled, const ThreadSetView& timed, ThreadId running, bool yielded,
                        Policy policy) {
  const bool only_timeouts = timed.size() == enabled.size();
  auto eligible = [&](ThreadId t) { return only_timeouts || !timed.contains(t); };
  if (running != kNoThread && !yielded && enabled.contains(running) && eligible(running)) return running;
  ThreadId smallest = kNoThread, above = kNoThread;
  enabled.for_each([&](ThreadId t) {
    if (!eligible(t) || (yielded && t == running)) return;
    if (smallest == kNoThread) smallest = t;
    if (above == kNoThread && running != kNoThread && t > running) above = t;
  });
  const bool in_turn = yielded || policy == Policy::RoundRobin;  // threads that wait by yielding take turns
  if (in_turn && above != kNoThread) return above;
  if (smallest != kNoThread) return smallest;
  return running;  // it yielded, and no other thread can run
}

uint32_t count_preemptions(TraceView trace) {
  ScheduleCursor cursor(trace);
  while (!cursor.done()) cursor.advance();
  return cursor.preemptions();
}

Plan plan_of(TraceView trace) {
  Plan plan;
  for (ScheduleCursor cursor(trace); !cursor.done(); cursor.advance())
    if (!cursor.step().is_note() && cursor.taken() != cursor.default_value())
      plan.deltas.push_back({cursor.index(), cursor.taken()});
  return plan;
}

std::optional<uint32_t> first_difference(TraceView a, TraceView b) {
  const auto x = a.steps(), y = b.steps();
  const size_t common = std::min(x.size(), y.size());
  for (size_t i = 0; i < common; ++i)
    if (!x[i].did_the_same_as(y[i])) return static_cast<uint32_t>(i);
  return std::nullopt;
}

}  // namespace lockstep
