// Plans alternatives: other threads, data choices, timeouts, and reversals of races.
#include "search/dpor/planner.hpp"

#include <algorithm>

#include "model/schedule.hpp"

namespace lockstep::dpor {
namespace {

// True if the operation waits for something that ends inside another thread's step.
bool is_glued(const Step& pending) {
  const bool glued =
      pending.kind == OpKind::Join || pending.kind == OpKind::BarrierLeave || pending.kind == OpKind::FutexBlocked;
  return glued && !(pending.flags & Step::kTimed);
}

}  // namespace

void Planner::plan(uint32_t record, ThreadId t, const Label& label) {
  const uint32_t node = tree_.add(path_.state(record), static_cast<uint16_t>(t), label, false);
  tree_[node].record = record;
  if (path_.sleeps(record, t))
    tree_.skip(node);
  else
    make_available(node);
}

void Planner::plan_one_of(uint32_t record, const Label& label, std::span<const Label> initials) {
  if (record < owned_from_)
    ask(record, label, initials);
  else
    plan(record, label.thread, label);
}

// Which of the threads goes first does not matter, so one request is enough for all races with these initials.
void Planner::ask(uint32_t record, const Label& label, std::span<const Label> initials) {
  std::vector<ThreadId> threads;
  for (const Label& initial : initials) threads.push_back(initial.thread);
  std::ranges::sort(threads);
  if (!known_requests_.emplace(record, threads).second) return;
  requests_.push_back({record, path_.sleeps(record, label.thread), label, std::move(threads)});
}

void Planner::ask_again(std::vector<Request> requests) {
  requests_ = std::move(requests);
  for (const Request& request : requests_) known_requests_.emplace(request.record, request.initials);
}

void Planner::plan_enabled(uint32_t record, std::optional<uint32_t> bound) {
  const ScheduleCursor at(path_.trace(), record, 0);
  at.enabled().for_each([&](ThreadId t) {
    if (bound && path_.preemptions(record) + at.cost(t) > *bound) return;
    if (is_planned(record, t)) return;
    const Label label = path_.pending_label(record, t);
    plan_one_of(record, label, {&label, 1});
  });
}

// Plans all other alternatives of a data choice. They race with nothing.
void Planner::plan_data(uint32_t state, uint32_t record) {
  const Step& step = path_.trace().steps()[record];
  for (uint16_t v = 0; v < step.alternatives(); ++v) {
    if (v == step.taken()) continue;
    const uint32_t other = tree_.add(state, v, {}, true);
    tree_[other].record = record;
    make_available(other);
  }
}

void Planner::reverse_step(uint32_t record, uint32_t end) { reverse_races(path_.order()[record], record, end, false); }

// A wait that ended inside the step of another thread has no step. If it was a timed wait, it could have timed out
// before that step.
bool Planner::reverse_timed_wait(uint32_t record, uint32_t end) {
  const TraceView trace = path_.trace();
  const Step& note = trace.steps()[record];
  if (note.kind != OpKind::FutexBlocked && note.kind != OpKind::Join) return false;
  uint32_t ended_by = record;
  while (ended_by != kNone && !path_.is_step(ended_by)) --ended_by;
  if (ended_by == kNone || trace.steps()[ended_by].thread == note.thread) return false;
  if (!trace.timed(trace.steps()[ended_by]).contains(note.thread)) return false;
  Event timeout{};
  timeout.thread = note.thread;
  timeout.kind = OpKind::Timeout;
  timeout.flags = Step::kTimed | Step::kTimedOut | Step::kWrite;
  timeout.previous = path_.order()[record].previous;
  const uint32_t object = path_.order().number_of(note.object);
  const HappensBefore::Object& now = path_.order().object(object);
  timeout.use[timeout.uses++] = {object, true, now.last_write, now.last_read};
  const Label label = label_of(timeout);
  reversal_.reverse(path_, *this, {ended_by, &timeout, label, label, record, end});
  return true;
}

// Pending operations take part: a deadlock is found this way, because its locks are never acquired.
void Planner::reverse_pending(uint32_t last) {
  const TraceView trace = path_.trace();
  const bool redundant = trace.outcome() == Outcome::Redundant;
  const uint32_t end = std::min(path_.size(), path_.stuck_at());
  while (last != kNone && !path_.is_step(last)) --last;
  const bool ended = last != kNone && tree_[path_.node(last)].label.ends;
  for (const Step& step : trace.pending()) {
    const bool blocked = step.flags & Step::kBlocked;
    if (is_glued(step) || (redundant && !blocked)) continue;
    const Event event = as_event(path_.order(), step);
    if (ended && step.thread == path_.order()[last].thread) continue;
    const bool waits = blocked && !(ended && trace.timed(trace.steps()[last]).contains(step.thread));
    if (ended && !waits && path_.enabled(last, step.thread))
      reversal_.reverse(path_, *this, {last, &event, label_of(event), strongest(event), end, end});
    else
      reverse_races(event, end, end, blocked);
  }
}

bool Planner::must_give_up() {
  constexpr unsigned kAskEvery = 16;  // races; in a long execution each takes a while
  if (gave_up_ != GaveUp::No) return true;
  if (tree_.memory_bytes() > max_bytes_)
    gave_up_ = GaveUp::OutOfMemory;
  else if (must_stop_ && ++asked_ % kAskEvery == 0 && must_stop_())
    gave_up_ = GaveUp::OutOfTime;
  return gave_up_ != GaveUp::No;
}

void Planner::reverse_races(const Event& next, uint32_t at, uint32_t end, bool blocked) {
  if (gave_up_ != GaveUp::No) return;
  const Label might = strongest(next);
  if (reversal_.reverse_all(path_, *this, next, might, end)) return;
  const std::span<const uint32_t> races = path_.races(next, at, end, blocked);
  if (races.empty()) return;
  const Label did = label_of(next);
  for (const uint32_t first : races) {
    if (must_give_up()) return;
    reversal_.reverse(path_, *this, {first, &next, did, observed_labels_ ? did : might, at, end});
  }
}

}  // namespace lockstep::dpor
