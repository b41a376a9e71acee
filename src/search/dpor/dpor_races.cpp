// Which steps of an execution could have gone the other way, and what is left to the reversal to plan.
#include <algorithm>

#include "search/dpor/dpor_search.hpp"

namespace lockstep::dpor {
namespace {

constexpr uint32_t kNone = ChoiceTree::kNone;

// Waits for something that no decision of its own ends.
bool is_glued(const Step& pending) {
  const bool glued =
      pending.kind == OpKind::Join || pending.kind == OpKind::BarrierLeave || pending.kind == OpKind::FutexBlocked;
  return glued && !(pending.flags & Step::kTimed);
}

}  // namespace

// A failure after which the process is gone although others could have gone on. They have to be run in its stead, or
// their failures would never be seen. That it could also have come before what others did shows nothing new.
uint32_t DporSearch::ending_step() {
  failing_ = kNone;
  if (trace_->outcome() == Outcome::Ok || !ends_the_process(trace_->outcome())) return kNone;
  const std::span<const Step> steps = trace_->steps(), pending = trace_->pending();
  auto last = static_cast<uint32_t>(steps.size());
  while (last-- > 0)
    if (!steps[last].is_note() && !steps[last].is_choice()) break;
  if (last == kNone) return kNone;
  if (steps[last].thread == trace_->header().culprit) failing_ = last;
  const auto cut_off = [](const Step& p) { return !(p.flags & Step::kBlocked); };
  return std::any_of(pending.begin(), pending.end(), cut_off) ? last : kNone;
}

// Before a livelock is told, whoever spins goes round once more when nobody else can go on. These steps race with
// nothing and are no part of a sequence: anywhere else they would not be there.
uint32_t DporSearch::stuck_at() const {
  const bool told = trace_->outcome() == Outcome::Livelock && trace_->header().diverged_at != 0;
  return told ? trace_->header().diverged_at : static_cast<uint32_t>(trace_->steps().size());
}

bool DporSearch::certain() const { return failing_ == kNone && !failed_ && !path_.empty() && !path_.back().uncertain; }

// What threads would have done next takes part: that is how a deadlock is found, whose locks are never taken.
void DporSearch::find_pending_races(uint32_t last) {
  const bool redundant = trace_->outcome() == Outcome::SleepBlocked;
  const uint32_t end = std::min(order_.size(), stuck_at());
  while (last != kNone && !is_step(last)) --last;
  const bool ended = last != kNone && tree_[path_[last].node].label.ends;
  for (const Step& step : trace_->pending()) {
    const bool blocked = step.flags & Step::kBlocked;
    if (is_glued(step) || (redundant && !blocked)) continue;
    const Event event = as_event(order_, step);
    if (ended && step.thread == order_[last].thread) continue;
    const bool waits = blocked && !(ended && trace_->timed(trace_->steps()[last]).contains(step.thread));
    if (ended && !waits && enabled(last, step.thread)) {
      const Label might = strongest(event);
      parts_.reversal->reverse(*this, {last, &event, label_of(event), might, end, end});
    } else {
      reverse_all(event, end, end, blocked);
    }
  }
}

void DporSearch::reverse_step(uint32_t record, uint32_t end) {
  const Event event = order_[record];  // planning may move it
  reverse_all(event, record, end, false);
}

// A wait that ended inside the step of another thread has no step of its own. If it was a timed one, it could have
// given up before that step.
void DporSearch::give_up_instead(uint32_t record, uint32_t end) {
  const Step& note = trace_->steps()[record];
  if (note.kind != OpKind::FutexBlocked && note.kind != OpKind::Join) return;
  uint32_t ended_by = record;
  while (ended_by != kNone && !is_step(ended_by)) --ended_by;
  if (ended_by == kNone || trace_->steps()[ended_by].thread == note.thread) return;
  if (!trace_->timed(trace_->steps()[ended_by]).contains(note.thread)) return;
  repeats_ = true;
  Event event{};
  event.thread = note.thread;
  event.kind = OpKind::Timeout;
  event.flags = Step::kTimed | Step::kTimedOut | Step::kWrite;
  event.previous = order_[record].previous;
  const uint32_t object = order_.number_of(note.object);
  event.use[event.uses++] = {object, true, order_.object(object).last_write, order_.object(object).last_read};
  const Label label = label_of(event);
  parts_.reversal->reverse(*this, {ended_by, &event, label, label, record, end});
}

void DporSearch::reverse_all(const Event& next, uint32_t at, uint32_t end, bool blocked) {
  const Label did = label_of(next);
  Label might = strongest(next);
  if (parts_.reversal->finds_races()) return parts_.reversal->find_races(*this, next, might, end);
  finder_.find(next, end, blocked, did.ends, races_);
  if (races_.empty()) return;
  if (parts_.observed_labels) might = did;
  for (size_t i = races_.size(); i-- > 0;) {
    if (waited_for(races_[i], next, at)) continue;
    const uint32_t latest = races_[i];
    parts_.reversal->reverse(*this, {latest, &next, did, might, at, end});
    if (next.kind != OpKind::Io && next.kind != OpKind::Timer) continue;
    for (uint32_t r = taker_before(next, latest); r != kNone; r = taker_before(next, r))
      parts_.reversal->reverse(*this, {r, &next, did, might, at, end});
  }
}

// Input that had to be waited for at `record`: nobody knows which of the earlier steps took it, so the step before,
// which may have.
uint32_t DporSearch::taker_before(const Event& next, uint32_t record) const {
  const bool was_pending = next.previous == kNone || next.previous < record;
  if (!was_pending || enabled(record, next.thread)) return kNone;
  const HappensBefore::Use* use = order_[record].find(next.use[0].object);
  const uint32_t before = use ? use->last_write : kNone;
  const bool known = before == kNone || order_[before].thread == next.thread ||
                     (next.previous != kNone && order_.ordered(before, next.previous));
  return known || !is_step(before) ? kNone : before;
}

// The next round of a spin loop: before this step it would have been like the last one.
bool DporSearch::waited_for(uint32_t record, const Event& next, uint32_t at) {
  if (!(next.flags & Step::kBlocked) || is_acquire(next.kind)) return false;
  if (const uint32_t change = change_before(next, at); change != kNone)
    return change >= record && order_.ordered(record, change);
  return (next.previous == kNone || next.previous < record) && !enabled(record, next.thread);
}

uint32_t DporSearch::plan(uint32_t record, ThreadId t, const Label& label) {
  const uint32_t node = tree_.add(state(record), static_cast<uint16_t>(t), label, false);
  tree_[node].record = record;
  if (sleeps(record, t))
    tree_.skip(node);
  else
    wait_for_turn(node);
  return node;
}

}  // namespace lockstep::dpor
