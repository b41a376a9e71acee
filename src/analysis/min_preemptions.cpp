// Searches the cuts of a happens-before order for the execution with the fewest preemptions.
#include "analysis/min_preemptions.hpp"

#include <algorithm>

namespace lockstep {
namespace {

constexpr char32_t kNobody = 0xffff'ffff;

bool gave_up(const HappensBefore::Event& e) { return e.flags & Step::kTimedOut; }
bool succeeded(const HappensBefore::Event& e) { return e.flags & Step::kWrite; }

// The effect of a step on the holder of a mutex, of an initialisation, or on the writer of a readers-writer lock.
enum class Effect : uint8_t { None, Takes, Gives };
Effect on_holder(const HappensBefore::Event& e, bool of_rwlock) {
  if ((traits(e.kind).primitive == Primitive::RwLock) != of_rwlock || has(e.kind, OpTraits::kShared))
    return Effect::None;
  if (acquires(e.kind, e.flags)) return Effect::Takes;
  return has(e.kind, OpTraits::kGives) ? Effect::Gives : Effect::None;
}

}  // namespace

bool MinPreemptions::exceeds(const HappensBefore& order, uint32_t size, uint32_t bound) {
  order_ = &order;
  size_ = size;
  whole_ = false;
  collect();
  return search(bound);
}

bool MinPreemptions::exceeds(HappensBefore& order, std::span<const Step> pending, uint32_t bound) {
  order_ = &order;
  size_ = order.size();
  whole_ = true;
  collect();
  for (const Step& step : pending) {
    const size_t t = place_of(step.thread);
    if (pending_.size() < threads_.size()) pending_.resize(threads_.size());
    Event& e = pending_[t];
    e.thread = step.thread;
    e.kind = step.kind;
    e.flags = step.flags;
    e.second = step.second;
    e.previous = order.last_of(step.thread);
    e.uses = 0;
    for (const Access& a : accesses(step.operation()))
      if (a.object != kNoObject) e.use[e.uses++] = {order.number_of(a.object), a.write, kNone, kNone};
    if (!(e.flags & Step::kBlocked)) add_round(e, size_ + static_cast<uint32_t>(t));
  }
  return search(bound);
}

bool MinPreemptions::search(uint32_t bound) {
  const size_t threads = threads_.size();
  std::ranges::sort(rounds_, {}, &Round::record);
  seen_.clear();
  later_.clear();
  now_.assign(1, Cut(threads, 0) + kNobody);
  for (uint32_t spent = 0; spent <= bound; ++spent) {
    while (!now_.empty()) {
      const Cut cut = std::move(now_.back());
      now_.pop_back();
      if (!seen_.insert(cut).second) continue;
      const char32_t last = cut[threads];
      const bool preempts = last != kNobody && !has_yielded(cut, last) && can_run(cut, last);
      bool finished = true;
      for (size_t t = 0; t < threads; ++t) {
        if (cut[t] == steps_[t].size()) continue;
        finished = false;
        if (!can_follow(cut, t)) continue;
        const bool gives_up = (*order_)[steps_[t][cut[t]]].kind == OpKind::Timeout;
        const bool costs = gives_up ? others_can_run(cut, t) : preempts && t != last;
        Cut next = cut;
        ++next[t];
        next[threads] = static_cast<char32_t>(t);
        (costs ? later_ : now_).push_back(std::move(next));
      }
      if (finished) return false;
    }
    now_.swap(later_);
  }
  return true;
}

size_t MinPreemptions::place_of(ThreadId thread) {
  const unsigned number = index_of(thread);
  if (number >= places_.size()) places_.resize(number + 1, kNone);
  if (places_[number] == kNone) {
    places_[number] = threads_.size();
    threads_.push_back(number);
    if (threads_.size() > steps_.size()) steps_.emplace_back();
  }
  return places_[number];
}

void MinPreemptions::collect() {
  threads_.clear();
  places_.clear();
  pending_.clear();
  rounds_.clear();
  for (auto& steps : steps_) steps.clear();
  for (uint32_t r = 0; r < size_; ++r) {
    const Event& e = (*order_)[r];
    if (e.flags & Step::kNote || e.kind == OpKind::Choose) continue;
    steps_[place_of(e.thread)].push_back(r);
    if (e.flags & Step::kBlocked) add_round(e, r);
  }
  pending_.resize(threads_.size());
  for (Event& e : pending_) e.thread = kNoThread;
}

// Adds the writes that can start a round of a spin loop. A round repeats the previous one, so that one began after the
// last step but one on the object that the thread touched last. All objects read since then are watched; the value of
// one of them has to change before the next round. The change is attributed to a write only if there is a single
// candidate. Several writes can restore the old value, so all of them are required. At worst this makes traces look
// cheaper.
void MinPreemptions::add_round(const Event& next, uint32_t record) {
  const bool named = next.kind == OpKind::Load || next.kind == OpKind::Store || next.kind == OpKind::Rmw;
  const bool pending = record >= size_;
  if (is_acquire(next.kind) || (pending && !(named && !next.second.none()))) return;
  const HappensBefore& order = *order_;
  const auto is_own = [&](uint32_t r) { return r != kNone && r < size_ && order[r].thread == next.thread; };
  if (!is_own(next.previous) || order[next.previous].uses == 0) return;
  const uint32_t last = order[next.previous].use[0].object;
  Round round{record, {}, {}};
  std::vector<uint32_t> watched;
  uint32_t r = next.previous;
  for (; is_own(r) && !(r != next.previous && order[r].find(last)); r = order[r].previous) {
    if (order[r].flags & (Step::kWrite | Step::kNote)) return;
    for (unsigned i = 0; i < order[r].uses; ++i) {
      const uint32_t object = order[r].use[i].object;
      if (std::ranges::find(watched, object) != watched.end()) continue;
      watched.push_back(object);
      for_each_access(object, [&](uint32_t w) {
        if (w <= r) return false;
        if (w >= record || !order[w].find(object)->write) return true;
        round.writes.push_back(w);
        if (named && order.object(object).id == next.second.change()) round.enough.push_back(w);
        return true;
      });
    }
  }
  if (!is_own(r) || round.writes.empty()) return;
  if (round.enough.empty()) round.enough = round.writes;
  rounds_.push_back(std::move(round));
}

const MinPreemptions::Round* MinPreemptions::round_at(uint32_t record) const {
  const auto found = std::ranges::lower_bound(rounds_, record, {}, &Round::record);
  return found == rounds_.end() || found->record != record ? nullptr : &*found;
}

bool MinPreemptions::may_go_round(const Cut& cut, uint32_t record) const {
  const Round* round = round_at(record);
  return !round || std::ranges::any_of(round->writes, [&](uint32_t w) { return has_done(cut, w); });
}

bool MinPreemptions::has_done(const Cut& cut, uint32_t record) const {
  const size_t t = places_[index_of((*order_)[record].thread)];
  return cut[t] == steps_[t].size() || record < steps_[t][cut[t]];
}

// True if all that the record depends on has been done. Notes belong to the step before them.
bool MinPreemptions::knows(const Cut& cut, uint32_t record) const {
  const int32_t* clock = order_->clock(record);
  const ThreadId own = (*order_)[record].thread;
  for (size_t t = 0; t < threads_.size(); ++t) {
    if (threads_[t] == index_of(own) || cut[t] == steps_[t].size()) continue;
    if (clock[threads_[t]] >= static_cast<int32_t>((*order_)[steps_[t][cut[t]]].index)) return false;
  }
  return true;
}

bool MinPreemptions::has_yielded(const Cut& cut, size_t thread) const {
  return cut[thread] > 0 && (*order_)[steps_[thread][cut[thread] - 1]].flags & Step::kYield;
}

bool MinPreemptions::others_can_run(const Cut& cut, size_t thread) const {
  for (size_t t = 0; t < threads_.size(); ++t)
    if (t != thread && can_run(cut, t)) return true;
  return false;
}

// Can the thread go on other than by a timeout? If the wait ended inside a step of another thread, notes between the
// steps of the waiter depend on that step.
bool MinPreemptions::can_run(const Cut& cut, size_t thread) const {
  const bool more = cut[thread] < steps_[thread].size();
  if (!more && pending_[thread].thread == kNoThread) return false;
  const Event& next = more ? (*order_)[steps_[thread][cut[thread]]] : pending_[thread];
  if (next.previous != kNone && next.previous < size_ && !knows(cut, next.previous)) return false;
  const uint32_t record = more ? steps_[thread][cut[thread]] : size_ + static_cast<uint32_t>(thread);
  return can_go_on(cut, next, record, more && can_follow(cut, thread));
}

// `ready`: all that the step depends on has been done. In a prefix, every wait other than for a mutex counts as blocked
// unless it is ready. That makes traces look cheaper than they are and loses none.
bool MinPreemptions::can_go_on(const Cut& cut, const Event& next, uint32_t record, bool ready) const {
  if (next.kind == OpKind::Timeout) return whole_ && !ready && would_get(cut, next);
  if (const Round* round = round_at(record))
    return std::ranges::all_of(round->enough, [&](uint32_t w) { return has_done(cut, w); });
  if (next.flags & Step::kBlocked && !is_acquire(next.kind)) return ready;  // a round that add_round() did not analyse
  if (!is_acquire(next.kind) || gave_up(next) || ready) return true;
  const uint32_t object = next.use[0].object;
  const bool blocked = next.flags & Step::kBlocked;
  if (next.kind == OpKind::Lock) return is_free(cut, object, blocked);
  if (!whole_) return false;
  switch (next.kind) {
    case OpKind::OnceEnter: return is_free(cut, object, blocked);
    case OpKind::Reacquire: return is_free(cut, object) && is_woken(cut, next);
    case OpKind::ReadLock: return !has_writer(cut, object, blocked);
    case OpKind::WriteLock: return !has_writer(cut, object, blocked) && readers(cut, object) <= 0;
    case OpKind::SemWait: return has_units(cut, object, !blocked);
    default: return false;
  }
}

// Could a timed wait have succeeded before its timeout? Other operations on the object show what it waited for.
bool MinPreemptions::would_get(const Cut& cut, const Event& timeout) const {
  const uint32_t object = timeout.use[0].object;
  bool gets = false;
  for_each_access(object, [&](uint32_t r) {
    switch (traits((*order_)[r].kind).primitive) {
      case Primitive::Mutex: gets = is_free(cut, object); return false;
      case Primitive::RwLock:
        gets = !has_writer(cut, object) && (!succeeded(timeout) || readers(cut, object) <= 0);
        return false;
      case Primitive::Semaphore: gets = has_units(cut, object, false); return false;
      default: return true;
    }
  });
  return gets;
}

// All accesses of the object, newest first, until `visit` says false.
template <class Visit>
void MinPreemptions::for_each_access(uint32_t object, Visit visit) const {
  uint32_t write = order_->object(object).last_write, read = order_->object(object).last_read;
  for (;;) {
    for (; read != kNone; read = (*order_)[read].find(object)->last_read)
      if (read < size_ && !visit(read)) return;
    if (write == kNone || (write < size_ && !visit(write))) return;
    const HappensBefore::Use* use = (*order_)[write].find(object);
    read = use->last_read;
    write = use->last_write;
  }
}

// Determines the state of an object from the last effect that has been done. Without one, the first effect that has not
// been done determines it. Without any effect, a wait for the object at the end means that it was taken before the
// second thread was created.
template <class EffectOf, class HasDone, class ForEach>
static bool is_taken(ForEach for_each, EffectOf effect_of, HasDone has_done, bool waited_for) {
  bool taken = waited_for;
  for_each([&](uint32_t record) {
    const Effect effect = effect_of(record);
    if (effect == Effect::None) return true;
    const bool done = has_done(record);
    taken = (effect == Effect::Takes) == done;
    return !done;
  });
  return taken;
}

bool MinPreemptions::is_free(const Cut& cut, uint32_t object, bool waited_for) const {
  return !is_taken([&](auto visit) { for_each_access(object, visit); },
                   [&](uint32_t r) { return on_holder((*order_)[r], false); },
                   [&](uint32_t r) { return has_done(cut, r); }, waited_for);
}

// Readers show nothing about a writer. If a thread waits for readers, the trace looks cheaper at worst.
bool MinPreemptions::has_writer(const Cut& cut, uint32_t object, bool waited_for) const {
  return is_taken([&](auto visit) { for_each_access(object, visit); },
                  [&](uint32_t r) { return on_holder((*order_)[r], true); },
                  [&](uint32_t r) { return has_done(cut, r); }, waited_for);
}

int MinPreemptions::readers(const Cut& cut, uint32_t object) const {
  int count = 0;
  for_each_access(object, [&](uint32_t r) {
    const Event& e = (*order_)[r];
    if (!has_done(cut, r)) return true;
    if (!has(e.kind, OpTraits::kShared)) return true;
    count += has(e.kind, OpTraits::kGives) ? -1 : acquires(e.kind, e.flags);
    return true;
  });
  return count;
}

bool MinPreemptions::has_units(const Cut& cut, uint32_t semaphore, bool untouched) const {
  int64_t units = untouched;
  for_each_access(semaphore, [&](uint32_t r) {
    const Event& e = (*order_)[r];
    const bool takes = e.kind == OpKind::SemWait || (e.kind == OpKind::SemTryWait && succeeded(e));
    if ((!takes && e.kind != OpKind::SemPost) || gave_up(e)) return true;
    const bool done = has_done(cut, r);
    units = static_cast<int64_t>(e.second.units()) + (done ? (takes ? -1 : 1) : 0);
    return !done;
  });
  return units > 0;
}

bool MinPreemptions::is_woken(const Cut& cut, const Event& reacquire) const {
  const uint32_t wait = reacquire.previous;
  if (wait == kNone || (*order_)[wait].kind != OpKind::CondWait) return true;  // the wait timed out or was cancelled
  bool woken = false;
  for (unsigned i = 1; i < reacquire.uses && !woken; ++i)
    for_each_access(reacquire.use[i].object, [&](uint32_t r) {
      if (r <= wait) return false;
      woken = (*order_)[r].find(reacquire.use[i].object)->write && has_done(cut, r);
      return !woken;
    });
  return woken;
}

}  // namespace lockstep
