// The scheduling point: parks the running thread, records steps, switches threads.
#include "runtime/sched/scheduler.hpp"

#include "runtime/backend/backend.hpp"
#include "runtime/base/trace_limits.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/sched/debug_stops.hpp"
#include "runtime/sched/inspection.hpp"
#include "runtime/sched/virtual_clock.hpp"

namespace lockstep::rt {

// Publishes the running thread's operation. A signal that arrived before the thread had to wait is taken first.
inline void Scheduler::park(Thread& me, bool can_run) {
  enable(me, can_run);
  if (UNLIKELY(runtime.interrupted) && !can_run && has_signals(me)) interrupt(me);
}

inline void Scheduler::switch_to(Thread& next) {
  Thread& me = *runtime.current;
  if (UNLIKELY(cycles_.captures())) CycleSearch::capture(me);
  me.program_sp = me.entry_sp ? me.entry_sp : reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  runtime.current = &next;
  if (LIKELY(runtime.fibers))
    fiber::switch_to(me, next);
  else
    os_thread::switch_to(me, next);
}

uint64_t Scheduler::random() {
  random_state_ ^= random_state_ << 13;
  random_state_ ^= random_state_ >> 7;
  random_state_ ^= random_state_ << 17;
  return random_state_ >> 32;
}

inline Thread* Scheduler::choose() {
  if (LIKELY(simple_ && log_size < stop_at_)) {
    const uint64_t ready = enabled.word[0];
    offered_ = ready;
    if (policy_ == Policy::Default) {
      if (LIKELY(last_ != kNoThread && !last_yielded_ && (ready >> index_of(last_) & 1)))
        return &threads_[index_of(last_)];
      if (ready && !last_yielded_) return &threads_[__builtin_ctzll(ready)];
    } else if (policy_ == Policy::Random && ready) {
      const unsigned n = static_cast<unsigned>(__builtin_popcountll(ready));
      unsigned k = n == 1 ? 0 : static_cast<unsigned>(random() * n >> 32);
      uint64_t bits = ready;
      while (k--) bits &= bits - 1;
      return &threads_[__builtin_ctzll(bits)];
    }
  }
  return choose_slow();
}

inline Step& Scheduler::record(Thread& me) {
  Step& step = log[log_size++];
  if (UNLIKELY(detail) && first_kept == 0) add_stack(me.arrival);  // first: what follows may end the execution
  step = UNLIKELY(me.signalled) ? next_step(me) : me.pending;
  me.parked = false;
  step.enabled = offered_;
  if (UNLIKELY(!simple_)) record_wide(me, step);
  ++decisions;
  if (last_ != me.id) turn_began_ = log_size - 1;
  last_ = me.id;
  last_yielded_ = false;
  if (UNLIKELY(step.flags & Step::kTimed)) reasons.add(Reason::Timeout);
  if (UNLIKELY(step.flags & Step::kYield)) {
    ++me.yields;
    count_as_yield(step);
  } else {
    ++me.effects;
  }
  if (UNLIKELY(detail)) {
    if (first_kept == 0 && describes(log_size - 1)) observe_step(me, log_size - 1);
    debug_step(log_size);
  }
  return step;
}

void Scheduler::record_wide(Thread& me, Step& step) {
  if (timed.contains(me.id) && !enabled.contains(me.id)) {
    // Chosen although nothing woke it: the wait times out.
    me.timed_out = true;
    timed.remove(me.id);
    enabled.add(me.id);
    step.kind = OpKind::Timeout;
    // Giving up on a write-lock depends on the readers' unlocks, which are reads.
    const bool writes = me.queue || me.pending.kind == OpKind::WriteLock;
    step.flags = Step::kTimed | Step::kTimedOut | (writes ? Step::kWrite : 0);
    if (me.pending.kind == OpKind::Reacquire) step.object = me.pending.second.condition();
    virtual_clock.sleep_until(me, me.deadline);
    refresh_simple();
  }
  if (words_ == 1 && wide_timed_.word[0] == 0) {
    step.enabled = wide_offered_.word[0];
    return;
  }
  if (set_words + 1 + 2 * words_ > kSetWords) end(Outcome::StepLimit);
  uint64_t* block = sets + set_words;
  step.enabled = set_words;
  step.flags |= Step::kWide;
  block[0] = words_;
  for (unsigned i = 0; i < words_; ++i) {
    block[1 + i] = wide_offered_.word[i];
    block[1 + words_ + i] = wide_timed_.word[i];
  }
  set_words += 1 + 2 * words_;
}

void Scheduler::hand_back(Thread& me, bool can_run) {
  Thread& resumer = *me.resumer;
  me.resumer = nullptr;
  park(me, can_run);
  switch_to(resumer);
}

// Lets other threads run until the running thread, whose operation is published, is chosen. False: the operation needs
// no record.
inline bool Scheduler::wait_for_turn(Thread& me, bool can_run) {
  // The end of the last other thread released this one: there is no thread to hand back to.
  if (UNLIKELY(me.resumer != nullptr) && unjoined == 0 && can_run) me.resumer = nullptr;
  if (UNLIKELY(me.resumer != nullptr)) {
    if (UNLIKELY(me.no_preempt) && can_run) return false;  // must not be left here, not even for its resumer
    me.parked = true;
    hand_back(me, can_run);
    return true;
  }
  if (LIKELY(can_run)) {
    if (unjoined == 0) {
      if (UNLIKELY(++skipped_ >= max_steps_)) end(Outcome::StepLimit);
      me.effects += !(me.pending.flags & Step::kYield);
      return false;
    }
  } else {
    park(me, false);
  }
  me.parked = true;
  Thread* next = choose();
  if (next != &me) switch_to(*next);
  return true;
}

Step& Scheduler::reach(OpKind kind, const void* object, uint8_t flags, bool can_run, Companion second, uint16_t order,
                       uint16_t bytes) {
  Thread& me = *runtime.current;
  auto fill = [&](Step& op) {
    op.object = ObjectId(reinterpret_cast<uint64_t>(object));
    op.second = second;
    op.thread = me.id;
    op.kind = kind;
    op.flags = flags;
    op.set_access(order, bytes);
  };
  // The default schedule goes on with the same thread: no decision to take, nothing to publish.
  if (LIKELY(straight_ && !runtime.after_step && me.id == last_ && can_run && log_size < stop_at_ && unjoined &&
             !me.resumer && !(flags & (Step::kYield | Step::kTimed)) && !last_yielded_)) {
    Step& step = log[log_size++];
    step.enabled = enabled.word[0];
    fill(step);
    ++decisions;
    ++me.effects;
    race_detector.stepped(me.id, log_size);
    return step;
  }
  fill(me.pending);
  if (UNLIKELY(detail) && first_kept == 0) {
    capture_arrival(me, describes());
    mark_reads(me);
  }
  if (!wait_for_turn(me, can_run)) {
    unrecorded_ = me.pending;
    return unrecorded_;
  }
  Step& step = record(me);
  if (UNLIKELY(runtime.after_step)) after_step(me, step);
  race_detector.stepped(me.id, log_size);
  // The thread took a signal instead: unless that ends the wait, the operation is still pending.
  if (UNLIKELY(me.signalled) && !client_.take_signal(me, kind))
    return reach(kind, object, flags, me.could_run, second, order, bytes);
  return step;
}

void Scheduler::after_step(Thread& me, const Step& step) {
  if (runtime.time_moved) virtual_clock.join(me, step);
  if (runtime.interrupted && !me.signalled) client_.deliver_interrupts(me, step);
}

unsigned Scheduler::pick(unsigned n) {
  if (n <= 1) return 0;
  if (n > 0xffff) n = 0xffff;
  ++runtime.current->effects;
  uint16_t value = 0;
  bool unforeseen = false;
  if (log_size >= max_steps_ || log_size - first_kept >= max_log_ - 1) end(Outcome::StepLimit);
  if (log_size >= stop_at_ && planned(&value)) {
    const Delta& delta = deltas_[delta_ - 1];
    unforeseen = delta.step == kNextDecision && !delta.data;
    if (unforeseen) value = 0;
    if (value >= n) diverge();
  } else if (is_random(policy_)) {
    value = static_cast<uint16_t>(random() * n >> 32);
  } else if (policy_ == Policy::Guided) {
    value = guided_.choose_data(runtime.current->id, n);
  }
  Step& step = log[log_size++];
  step = Step{};
  step.thread = runtime.current->id;
  step.kind = OpKind::Choose;
  step.set_choice(value, static_cast<uint16_t>(n));
  ++decisions;
  if (UNLIKELY(detail)) {
    capture_arrival(*runtime.current, true);
    add_stack(runtime.current->arrival);
    debug_step(log_size);
  }
  if (unforeseen) {  // the plan has no choice here: the search must see that there is one
    end_redundant(Redundancy::UnforeseenChoice);
  }
  return value;
}

void Scheduler::note(OpKind kind, ObjectId object, Companion second) {
  if (log_size - first_kept >= max_log_ - 1) end(Outcome::StepLimit);
  Step& step = log[log_size++];
  step = Step{};
  step.object = object;
  step.second = second;
  step.thread = runtime.current->id;
  step.kind = kind;
  step.flags = Step::kNote;
  if (delta_ < delta_count_ && deltas_[delta_].step < log_size) diverge();  // the plan expected a decision here
  if (UNLIKELY(detail)) {
    capture_arrival(*runtime.current, true);
    add_stack(runtime.current->arrival);
    debug_step(log_size);
  }
}

void Scheduler::advance(Thread& t) {
  t.resumer = runtime.current;
  virtual_clock.join(t, *runtime.current);
  enable(t, true);
  switch_to(t);
}

void Scheduler::wait_to_be_advanced(OpKind kind, const void* object, uint8_t flags, Companion second) {
  Thread& me = *runtime.current;
  Step& op = me.pending;
  op = Step{};
  op.object = ObjectId(reinterpret_cast<uint64_t>(object));
  op.second = second;
  op.thread = me.id;
  op.kind = kind;
  op.flags = flags;
  if (UNLIKELY(detail)) capture_arrival(me, describes());
  me.parked = true;
  if (me.resumer) {
    hand_back(me, false);
  } else {
    park(me, false);
    Thread* next = choose();
    if (next != &me) switch_to(*next);
  }
  if (UNLIKELY(me.signalled)) {
    // Advanced before it could take the signal: it takes it after its next step.
    if (me.woken) {
      me.signalled = false;
      runtime.interrupted = true;
    } else {
      record(me);
      if (!client_.take_signal(me, kind)) wait_to_be_advanced(kind, object, flags, second);
      return;
    }
  }
  // Either another thread advanced it (then the next reach() hands back), or it was chosen to time out.
  if (UNLIKELY(me.pending.flags & Step::kTimed) && !me.woken) virtual_clock.join(me, record(me));
  me.parked = false;
}

void Scheduler::begin_thread() {
  if (UNLIKELY(detail)) capture_arrival(*runtime.current, true);
  record(*runtime.current);
}

void Scheduler::leave() {
  Thread& me = *runtime.current;
  Thread* next = me.resumer;
  me.resumer = nullptr;
  if (!next) next = choose();
  switch_to(*next);
  die("an ended thread was resumed");
}

}  // namespace lockstep::rt
