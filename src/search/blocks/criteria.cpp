// Checks the operations of executions against the table of what ExitBlock covers.
#include "search/blocks/criteria.hpp"

#include <iterator>

namespace lockstep {
namespace {

enum class Cover : uint8_t {
  Yes,     // can be moved later, or ends its block
  Locked,  // if a common lock protects its object
  Notify,  // as Locked; or, if no lock is held, it ends its block (model/blocks.hpp)
  No,
};

constexpr Cover kCover[] = {
    Cover::Yes,     // ThreadStart
    Cover::Yes,     // Create: ends its block if the block has begun
    Cover::Yes,     // ThreadExit
    Cover::Yes,     // Join: the end of a thread is final
    Cover::No,      // ProcessExit: stops other threads inside their blocks
    Cover::Locked,  // Load
    Cover::Locked,  // Store
    Cover::Locked,  // Rmw
    Cover::Locked,  // Cas
    Cover::Yes,     // Fence: touches nothing
    Cover::Yes,     // Lock
    Cover::No,      // TryLock: can fail inside the block of another thread
    Cover::Yes,     // Unlock: ends its block
    Cover::Yes,     // CondWait: ends its block
    Cover::Yes,     // Reacquire
    Cover::Notify,  // CondSignal
    Cover::Notify,  // CondBroadcast
    Cover::Yes,     // ReadLock
    Cover::Yes,     // WriteLock
    Cover::No,      // TryReadLock
    Cover::No,      // TryWriteLock
    Cover::Yes,     // ReadUnlock
    Cover::Yes,     // WriteUnlock
    Cover::No,      // SemWait: a semaphore has no owner, so deadlocks inside blocks are not found
    Cover::No,      // SemTryWait
    Cover::No,      // SemPost
    Cover::Yes,     // BarrierArrive: ends its block
    Cover::Yes,     // BarrierLeave
    Cover::Yes,     // OnceEnter: a lock until OnceExit, without effect afterwards
    Cover::Yes,     // OnceExit: ends its block
    Cover::No,      // FutexWait
    Cover::No,      // FutexBlocked
    Cover::No,      // FutexWake
    Cover::Yes,     // Yield
    Cover::Yes,     // Sleep
    Cover::No,      // Choose: alternatives outside blocks are not tried
    Cover::Locked,  // PlainRead
    Cover::Locked,  // PlainWrite
    Cover::No,      // Timeout
    Cover::No,      // Cancel
    Cover::No,      // TestCancel
    Cover::No,      // Signal
    Cover::No,      // Io
    Cover::No,      // Timer
    Cover::No,      // Destroy: other threads may be about to use the object
    Cover::No,      // ExitHandler: runs beside threads that are not joined
    Cover::Yes,     // AtomicSection: touches nothing
    Cover::No,      // State: its effect on other threads inside blocks is not explored
};
static_assert(std::size(kCover) == static_cast<size_t>(OpKind::kCount), "one row per operation kind");

// Output under a lock counts like memory under a lock.
Cover cover(const Step& step) {
  const bool writes_output = step.kind == OpKind::State && step.object == state_object(StateKind::Output);
  return writes_output ? Cover::Locked : kCover[static_cast<size_t>(step.kind)];
}

const char* text_of(Reason reason) {
  switch (reason) {
    case Reason::Fairness: return "threads held back by fairness";
    case Reason::HiddenSync: return "synchronisation in code that is not instrumented";
    case Reason::Interrupt: return "cancellations and signals between threads";
    case Reason::Timeout: return "waits that can time out";
    case Reason::Delay: return "sleeps that end in time for some threads only";
    case Reason::EarlyExit: return "process exit while threads run";
    case Reason::ThreadsAtExit: return "exit handlers while threads run";
    case Reason::Input: return "input that several threads may read";
    case Reason::LockMisuse: return "locks after a misuse";
    case Reason::Lifetime: return "objects freed while in use";
    default: return "orders that no operation shows";
  }
}

// True for an operation that tests whether a thread has ended; waiting for the end is a note.
bool is_try_join(const Step& step) { return step.kind == OpKind::Join && !step.is_note(); }

bool is_write(const Step& step) {
  switch (step.kind) {
    case OpKind::Store:
    case OpKind::Rmw:
    case OpKind::PlainWrite: return true;
    default: return step.flags & Step::kWrite && step.kind == OpKind::Cas;
  }
}

}  // namespace

std::string criterion_text(const Criterion& c) {
  switch (c.kind) {
    case Criterion::Operation: return name_of(c.operation);
    case Criterion::Atomic: return "atomics shared without a common lock";
    case Criterion::Notification: return "notifications without the lock of the waiters";
    case Criterion::Memory: return "memory shared without a common lock";
    case Criterion::Timeout: return "waits that can time out";
    case Criterion::Order: return text_of(c.reason);
    case Criterion::Deadlock: return "lock deadlocks (use exitblock-dd)";
  }
  return {};
}

void Criteria::add(const Criterion& criterion) {
  if (std::none_of(unmet_.begin(), unmet_.end(), [&](const Criterion& c) { return c.same_as(criterion); }))
    unmet_.push_back(criterion);
}

void Criteria::check(TraceView trace) {
  bool needs_locks = false;
  const auto look = [&](const Step& step) {
    const Cover covered = cover(step);
    needs_locks |= covered == Cover::Locked || covered == Cover::Notify;
    if (step.flags & Step::kTimed)
      add({.kind = Criterion::Timeout, .operation = OpKind::Timeout, .object = step.object});
    else if (covered == Cover::No || is_try_join(step))
      add({.kind = Criterion::Operation, .operation = step.kind, .object = step.object});
  };
  for (const Step& step : trace.steps()) look(step);
  for (const Step& step : trace.pending())
    if (step.kind != OpKind::Join || (step.flags & Step::kTimed)) look(step);
  // Code that cannot be preempted is part of one block; the code after it begins another.
  Reasons reasons = trace.reasons();
  for (unsigned r = 0; r < static_cast<unsigned>(Reason::kCount) && !reasons.empty(); ++r)
    if (const Reason reason{static_cast<uint8_t>(r)}; reasons.has(reason) && reason != Reason::Unpreemptible)
      add({.kind = Criterion::Order, .reason = reason});
  const auto races = trace.races();
  if (trace.locks_broken() || std::any_of(races.begin(), races.end(), [](const DataRace& r) { return r.race(); }))
    add({.kind = Criterion::Memory});
  if (needs_locks) check_locks(trace);
}

void Criteria::check_locks(TraceView trace) {
  HeldLocks held;
  for (const Step& step : trace.steps()) {
    const Cover covered = cover(step);
    const std::vector<HeldLock>& mine = held.of(step.thread);
    const bool ends_its_block = covered == Cover::Notify && mine.empty();
    if (!step.is_note() &&
        (covered == Cover::Locked || step.kind == OpKind::CondWait || (covered == Cover::Notify && !ends_its_block)))
      use(step, mine);
    held.apply(step);
  }
}

// The locksets of Eraser (Savage et al. 1997), without its exceptions for initialisation.
void Criteria::use(const Step& step, const std::vector<HeldLock>& held) {
  const bool notifies = cover(step) == Cover::Notify, waits = step.kind == OpKind::CondWait;
  const bool writes = notifies || waits || is_write(step);
  ObjectId object = step.object;
  if ((step.kind == OpKind::PlainRead || step.kind == OpKind::PlainWrite) && !step.second.none())
    object = step.second.alias();
  Use& use = uses_[object];
  if (use.first == kNoThread) use.first = step.thread;
  use.shared |= use.first != step.thread;
  use.written |= writes;
  use.notified |= notifies;
  use.waited |= waits;
  const auto protects = [&](const HeldLock& h) { return h.exclusive || !writes; };
  if (!use.known)
    std::copy_if(held.begin(), held.end(), std::back_inserter(use.locks), protects);
  else
    std::erase_if(use.locks, [&](const HeldLock& l) {
      return std::none_of(held.begin(), held.end(), [&](const HeldLock& h) { return h.lock == l.lock && protects(h); });
    });
  use.known = true;
  const bool condition = use.waited || use.notified;
  if (use.locks.empty() && use.shared && (condition ? use.waited && use.notified : use.written))
    add({.kind = condition                    ? Criterion::Notification
                 : step.kind == OpKind::State ? Criterion::Operation
                                              : Criterion::Atomic,
         .operation = step.kind,
         .object = step.object});
}

void Criteria::save(StateWriter& out) const {
  out.put_all(unmet_);
  out.put<uint64_t>(uses_.size());
  for (const auto& [object, use] : uses_) {
    out.put(object);
    out.put(use.first);
    for (const bool flag : {use.shared, use.written, use.known, use.waited, use.notified}) out.put(flag);
    out.put_all(use.locks);
  }
}

void Criteria::load(StateReader& in) {
  unmet_ = in.get_all<Criterion>();
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
    Use& use = uses_[in.get<ObjectId>()];
    use.first = in.get<ThreadId>();
    for (bool* flag : {&use.shared, &use.written, &use.known, &use.waited, &use.notified}) *flag = in.get<bool>();
    use.locks = in.get_all<HeldLock>();
  }
}

}  // namespace lockstep
