// Finds the reversible races of a step by the kind of its operation.
#include "search/dpor/race_finder.hpp"

#include <algorithm>

namespace lockstep::dpor {
namespace {

bool is_read_lock(const Event& e) { return has(e.kind, OpTraits::kShared) && acquires(e.kind, e.flags); }
bool is_write_lock(const Event& e) {
  return traits(e.kind).primitive == Primitive::RwLock && !has(e.kind, OpTraits::kShared) && acquires(e.kind, e.flags);
}

}  // namespace

Event as_event(HappensBefore& order, const Step& pending) {
  Event e{};
  e.thread = pending.thread;
  e.kind = pending.kind;
  e.flags = pending.flags;
  e.second = pending.second;
  e.previous = order.last_of(pending.thread);
  if (e.kind == OpKind::Reacquire && e.flags & Step::kTimed) e.condition = order.number_of(pending.second.condition());
  for (const Access& a : accesses(pending.operation())) {
    if (a.object == kNoObject) continue;
    const uint32_t number = order.number_of(a.object);
    e.use[e.uses++] = {number, a.write, order.object(number).last_write, order.object(number).last_read};
  }
  return e;
}

void RaceFinder::find(const Event& next, uint32_t limit, bool blocked, bool ends, std::vector<uint32_t>& out) {
  out.clear();
  next_ = &next;
  limit_ = limit;
  blocked_ = blocked;
  enabler_ = kNone;
  out_ = &out;
  if (ends) return all_threads();
  // A timed wait that was woken could have timed out before. Then it would have waited for the mutex like any other.
  const bool woken_in_time = next.kind == OpKind::Reacquire && next.flags & Step::kTimed;
  if (woken_in_time)
    for (unsigned i = 1; i < next.uses; ++i) plain(next.use[i]);
  const bool waits = is_acquire(next.kind) && (!(next.flags & Step::kTimed) || woken_in_time);
  if (!waits) {
    for (unsigned i = 0; i < next.uses; ++i) plain(next.use[i]);
  } else {
    switch (next.kind) {
      case OpKind::BarrierLeave:
      case OpKind::FutexBlocked: return;  // part of the step that ends the wait
      case OpKind::WriteLock: write_lock(next.use[0]); break;
      case OpKind::ReadLock: read_lock(next.use[0]); break;
      case OpKind::Reacquire: reacquire(); break;
      default: acquire(next.use[0]); break;
    }
  }
  keep_latest();
}

bool RaceFinder::known(uint32_t record) const {
  if (order_[record].thread == next_->thread) return true;
  if (next_->previous != kNone && order_.ordered(record, next_->previous)) return true;
  return enabler_ != kNone && order_.ordered(record, enabler_);
}

// Could an acquisition of the object have run just before this step on the object?
bool RaceFinder::opens(const Event& e) const {
  switch (e.kind) {
    case OpKind::Unlock:
    case OpKind::CondWait:
    case OpKind::OnceExit:
    case OpKind::WriteUnlock:
    case OpKind::Timeout: return false;
    case OpKind::TryLock:
    case OpKind::SemTryWait:
    case OpKind::TryWriteLock: return e.flags & Step::kWrite;
    case OpKind::SemPost: return e.second.units() > 0;
    default: return !(e.flags & Step::kTimedOut);
  }
}

void RaceFinder::plain(const Use& use) {
  bool hidden = false;  // a later read hides the write
  if (use.write)
    for (uint32_t r = use.last_read; r != kNone; r = order_[r].find(use.object)->last_read) {
      if (known(r)) continue;
      out_->push_back(r);
      hidden = true;
    }
  if (!hidden && use.last_write != kNone && !known(use.last_write)) out_->push_back(use.last_write);
}

// For mutexes, semaphores and once-routines, all operations that change the object are totally ordered. Failed attempts
// change nothing and found the object taken. An operation that only looked at the object since its last change
// (sem_getvalue, the compiler's test of a guard) found it free, and could come after `next`.
void RaceFinder::acquire(const Use& use) {
  if (use.write && !blocked_ && !overlooks)
    for (uint32_t r = use.last_read; r != kNone; r = order_[r].find(use.object)->last_read)
      if (!known(r)) out_->push_back(r);
  for (uint32_t w = use.last_write; w != kNone && !known(w); w = order_[w].find(use.object)->last_write) {
    if (!opens(order_[w])) continue;
    out_->push_back(w);
    return;
  }
}

void RaceFinder::read_lock(const Use& use) {
  for (uint32_t w = use.last_write; w != kNone && !known(w); w = order_[w].find(use.object)->last_write) {
    if (writer_before(w, use.object)) continue;
    out_->push_back(w);
    return;
  }
}

bool RaceFinder::writer_before(uint32_t record, uint32_t object) const {
  for (uint32_t w = record; w != kNone; w = order_[w].find(object)->last_write) {
    if (w != record && is_write_lock(order_[w])) return true;
    if (w != record && order_[w].kind == OpKind::WriteUnlock) return false;
    if (w == record && order_[w].kind == OpKind::WriteUnlock) return true;
    if (w == record && is_write_lock(order_[w])) return false;
  }
  return false;
}

void RaceFinder::write_lock(const Use& use) {
  uint32_t w = use.last_write, read = use.last_read;
  for (;;) {
    const size_t before = out_->size();
    for (uint32_t r = read; r != kNone; r = order_[r].find(use.object)->last_read)
      if (is_read_lock(order_[r]) && !known(r) && readers_gone(use.object, r)) out_->push_back(r);
    if (out_->size() != before || w == kNone || known(w)) return;
    if (is_write_lock(order_[w])) {
      out_->push_back(w);
      return;
    }
    const Use* found = order_[w].find(use.object);
    read = found->last_read;
    w = found->last_write;
  }
}

// True if no thread holds the lock for reading when `without` and what depends on it are left out.
bool RaceFinder::readers_gone(uint32_t object, uint32_t without) const {
  int readers = 0;
  uint32_t w = next_->find(object)->last_write, read = next_->find(object)->last_read;
  for (;;) {
    for (uint32_t r = read; r != kNone; r = order_[r].find(object)->last_read) {
      if (order_.ordered(without, r)) continue;
      if (is_read_lock(order_[r])) ++readers;
      if (order_[r].kind == OpKind::ReadUnlock) --readers;
    }
    if (w == kNone || is_write_lock(order_[w]) || order_[w].kind == OpKind::WriteUnlock) return readers == 0;
    const Use* found = order_[w].find(object);
    read = found->last_read;
    w = found->last_write;
  }
}

// The step that ended the wait: the signal that chose this thread, otherwise the first broadcast after the wait began.
uint32_t RaceFinder::waker() const {
  const uint32_t wait = next_->previous;
  if (wait == kNone) return kNone;
  uint32_t found = kNone;
  for (unsigned i = 1; i < next_->uses; ++i) {
    const Use& token = next_->use[i];
    for (uint32_t w = token.last_write; w != kNone && w > wait; w = order_[w].find(token.object)->last_write)
      found = std::min(found, w);
  }
  return found;
}

void RaceFinder::reacquire() {
  const Use& mutex = next_->use[0];
  const bool gave_up = next_->previous != kNone && order_[next_->previous].kind == OpKind::Timeout;
  if (gave_up) return acquire(mutex);
  enabler_ = waker();
  if (enabler_ == kNone) return;  // not woken yet
  acquire(mutex);
  // A later broadcast on the same condition accesses the token as well. It did not enable this step, so the race is
  // reversible if the mutex is free without the broadcast.
  if (next_->uses < 3) return;
  const uint32_t broadcast = next_->use[2].last_write;
  if (broadcast == kNone || known(broadcast)) return;
  bool free = !blocked_;
  for (uint32_t w = mutex.last_write; w != kNone && order_.ordered(broadcast, w);
       w = order_[w].find(mutex.object)->last_write)
    free = opens(order_[w]);
  if (free) out_->push_back(broadcast);
}

uint32_t RaceFinder::last_decision(ThreadId t) const {
  for (uint32_t r = order_.last_of(t); r != kNone && order_[r].thread == t; r = order_[r].previous)
    if (r < limit_ && !(order_[r].flags & Step::kNote) && order_[r].kind != OpKind::Choose) return r;
  return kNone;
}

void RaceFinder::all_threads() {
  for (unsigned t = 0; t < order_.width(); ++t)
    if (const uint32_t r = last_decision(ThreadId(t)); r != kNone && !known(r)) out_->push_back(r);
  keep_latest();
}

// Only neighbours race: drops records that happen before another one in the list. Duplicates come from two objects.
void RaceFinder::keep_latest() {
  std::vector<uint32_t>& out = *out_;
  if (out.size() < 2) return;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  size_t kept = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    bool hidden = false;
    for (size_t j = i + 1; j < out.size() && !hidden; ++j) hidden = order_.ordered(out[i], out[j]);
    if (!hidden) out[kept++] = out[i];
  }
  out.resize(kept);
}

}  // namespace lockstep::dpor
