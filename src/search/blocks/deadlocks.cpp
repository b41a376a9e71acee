// Predicts deadlocks from the waits inside blocks.
#include "search/blocks/deadlocks.hpp"

#include <map>
#include "model/policy_input.hpp"

namespace lockstep {
namespace {

constexpr size_t kMostCycles = 16;  // from one block; each is run

bool waits(const Step& step) {
  if (step.flags & (Step::kTimed | Step::kTimedOut)) return false;
  return takes_lock(step.kind) || step.kind == OpKind::OnceEnter || step.kind == OpKind::Join;
}

// A reader that locks for reading again does not wait. A writer or owner that locks again misuses the lock, which
// another analysis finds.
bool waits_for_others(const Step& step, const std::vector<HeldLock>& held) {
  if (!waits(step)) return false;
  return std::none_of(held.begin(), held.end(), [&](const HeldLock& h) {
    return h.lock == step.object && (h.exclusive || !HeldLocks::is_exclusive(step.kind));
  });
}

LockWait wait_at(const Step& step, uint32_t steps, const std::vector<HeldLock>& held, std::vector<uint16_t> choices) {
  return {steps, step.object, HeldLocks::is_exclusive(step.kind), held, std::move(choices)};
}

const Step* pending_of(TraceView trace, ThreadId t) {
  for (const Step& step : trace.pending())
    if (step.thread == t) return &step;
  return nullptr;
}

// A running thread counts as a lock that a join waits for.
bool blocks(ThreadId owner, const LockWait& at, const LockWait& waiter) {
  if (waiter.wanted == thread_object(owner)) return true;
  return std::any_of(at.held.begin(), at.held.end(),
                     [&](const HeldLock& h) { return h.lock == waiter.wanted && (h.exclusive || waiter.exclusive); });
}

bool can_hold_both(const LockWait& a, const LockWait& b) {
  return std::none_of(a.held.begin(), a.held.end(), [&](const HeldLock& x) {
    return std::any_of(b.held.begin(), b.held.end(),
                       [&](const HeldLock& y) { return x.lock == y.lock && (x.exclusive || y.exclusive); });
  });
}

class Cycles {
 public:
  Cycles(TraceView trace, uint32_t begin, std::span<const ThreadWaits> threads)
      : trace_(trace), begin_(begin), threads_(threads) {}

  std::vector<PredictedDeadlock> find() {
    for (const LockWait& wait : threads_.back().waits) extend(threads_.back().thread, wait);
    return std::move(found_);
  }

 private:
  struct Member {
    ThreadId thread;
    const LockWait* at;
  };

  void extend(ThreadId thread, const LockWait& at) {
    if (found_.size() >= kMostCycles) return;
    path_.push_back({thread, &at});
    if (path_.size() > 1 && blocks(path_.front().thread, *path_.front().at, at)) add();
    for (const ThreadWaits& other : threads_) {
      if (std::any_of(path_.begin(), path_.end(), [&](const Member& m) { return m.thread == other.thread; })) continue;
      for (const LockWait& wait : other.waits)
        if (blocks(other.thread, wait, at) &&
            std::all_of(path_.begin(), path_.end(), [&](const Member& m) { return can_hold_both(*m.at, wait); }))
          extend(other.thread, wait);
    }
    path_.pop_back();
  }

  void add() {
    PredictedDeadlock deadlock;
    for (size_t i = 0; i < path_.size(); ++i) {
      const Member& before = path_[(i + path_.size() - 1) % path_.size()];
      deadlock.cycle.push_back({path_[i].thread, before.at->wanted, path_[i].at->wanted});
    }
    deadlock.schedule = schedule().words();
    found_.push_back(std::move(deadlock));
  }

  // The execution up to the state in which the blocks begin, then each thread up to its wait.
  GuidedSchedule schedule() const {
    GuidedSchedule out;
    std::map<ThreadId, uint32_t> choices;
    const auto choose = [&](ThreadId t, uint16_t value) {
      const uint32_t number = choices[t]++;
      if (value != 0) out.choices.push_back({t, number, value});
    };
    for (const Step& step : trace_.steps().first(begin_)) {
      if (step.is_choice())
        choose(step.thread, step.taken());
      else if (!step.is_note())
        out.run(step.thread, 1);
    }
    for (const Member& m : path_) {
      if (m.at->steps > 0) out.run(m.thread, m.at->steps);
      for (const uint16_t value : m.at->choices) choose(m.thread, value);
    }
    return out;
  }

  TraceView trace_;
  uint32_t begin_;
  std::span<const ThreadWaits> threads_;
  std::vector<Member> path_;
  std::vector<PredictedDeadlock> found_;
};

}  // namespace

std::vector<LockWait> waits_in_block(TraceView trace, const BlockRecord& block, uint32_t end, HeldLocks held) {
  std::vector<LockWait> found;
  std::vector<uint16_t> choices;
  uint32_t steps = 0;
  for (const Step& step : trace.steps().subspan(block.begin, end - block.begin)) {
    if (step.thread != block.thread || step.is_note()) continue;
    if (step.is_choice()) {
      choices.push_back(step.taken());
      continue;
    }
    if (waits_for_others(step, held.of(step.thread)))
      found.push_back(wait_at(step, steps, held.of(step.thread), choices));
    held.apply(step);
    ++steps;
  }
  if (block.how == BlockRecord::Ended) return found;
  if (const Step* next = pending_of(trace, block.thread); next && waits_for_others(*next, held.of(block.thread)))
    found.push_back(wait_at(*next, steps, held.of(block.thread), choices));
  return found;
}

void add_next_waits(TraceView trace, uint32_t begin, HeldLocks& held, std::vector<ThreadWaits>& known) {
  // A wait that ends inside another thread's step has only a note, for example a join. Its thread waits here.
  const auto add = [&](const Step& step) {
    if (std::any_of(known.begin(), known.end(), [&](const ThreadWaits& w) { return w.thread == step.thread; })) return;
    known.push_back({step.thread, {}});
    if (waits_for_others(step, held.of(step.thread))) known.back().waits = {wait_at(step, 0, held.of(step.thread), {})};
  };
  for (const Step& step : trace.steps().subspan(begin)) add(step);
  for (const Step& step : trace.pending()) add(step);
}

bool nests_locks(TraceView trace, HeldLocks held) {
  for (const Step& step : trace.steps()) {
    if (waits(step) && !held.of(step.thread).empty()) return true;
    held.apply(step);
  }
  const auto pending = trace.pending();
  return std::any_of(pending.begin(), pending.end(),
                     [&](const Step& step) { return waits(step) && !held.of(step.thread).empty(); });
}

std::vector<PredictedDeadlock> predict_deadlocks(TraceView trace, uint32_t begin,
                                                 std::span<const ThreadWaits> threads) {
  return Cycles(trace, begin, threads).find();
}

}  // namespace lockstep
