#include "analysis/trace_cost.hpp"

#include <algorithm>

namespace lockstep {
namespace {
constexpr char32_t kNobody = 0xffff'ffff;
}

bool TraceCost::exceeds(const HappensBefore& order, uint32_t size, uint32_t bound) {
  order_ = &order;
  size_ = size;
  collect(size);
  const size_t threads = threads_.size();
  seen_.clear();
  later_.clear();
  now_.assign(1, Cut(threads, 0) + kNobody);
  for (uint32_t spent = 0; spent <= bound; ++spent) {
    while (!now_.empty()) {
      const Cut cut = std::move(now_.back());
      now_.pop_back();
      if (!seen_.insert(cut).second) continue;
      const char32_t last = cut[threads];
      const bool preempts = last != kNobody && would_go_on(cut, last);
      bool finished = true;
      for (size_t t = 0; t < threads; ++t) {
        if (cut[t] == steps_[t].size()) continue;
        finished = false;
        if (!can_follow(cut, t)) continue;
        Cut next = cut;
        ++next[t];
        next[threads] = static_cast<char32_t>(t);
        (preempts && t != last ? later_ : now_).push_back(std::move(next));
      }
      if (finished) return false;
    }
    now_.swap(later_);
  }
  return true;
}

void TraceCost::collect(uint32_t size) {
  threads_.clear();
  for (auto& steps : steps_) steps.clear();
  for (uint32_t r = 0; r < size; ++r) {
    const HappensBefore::Event& e = (*order_)[r];
    if (e.flags & Step::kNote || e.kind == OpKind::Choose) continue;
    const auto place = std::find(threads_.begin(), threads_.end(), index_of(e.thread));
    const auto t = static_cast<size_t>(place - threads_.begin());
    if (place == threads_.end()) threads_.push_back(index_of(e.thread));
    if (t >= steps_.size()) steps_.emplace_back();
    steps_[t].push_back(r);
  }
}

// All that its next step depends on has been done. Notes belong to the step before them.
bool TraceCost::can_follow(const Cut& cut, size_t thread) const {
  const int32_t* clock = order_->clock(steps_[thread][cut[thread]]);
  for (size_t t = 0; t < threads_.size(); ++t) {
    if (t == thread || cut[t] == steps_[t].size()) continue;
    if (clock[threads_[t]] >= static_cast<int32_t>((*order_)[steps_[t][cut[t]]].index)) return false;
  }
  return true;
}

bool TraceCost::has_yielded(const Cut& cut, size_t thread) const {
  return cut[thread] > 0 && (*order_)[steps_[thread][cut[thread] - 1]].flags & Step::kYield;
}

// Would it be preempted? Not if it may be blocked: whatever waits counts as waiting unless nothing it depends on is
// missing, or its object is in the state it was in before somebody else's acquisition. When in doubt the answer is no,
// which makes traces look cheaper than they are and loses nothing.
bool TraceCost::would_go_on(const Cut& cut, size_t thread) const {
  if (cut[thread] == steps_[thread].size() || has_yielded(cut, thread)) return false;
  const HappensBefore::Event& next = (*order_)[steps_[thread][cut[thread]]];
  if (!is_acquire(next.kind) || can_follow(cut, thread)) return true;
  if (next.kind != OpKind::Lock) return false;
  // The first of the later operations on the mutex that is not done yet: the mutex is free if that one takes it.
  uint32_t first = steps_[thread][cut[thread]];
  for (uint32_t w = next.use[0].last_write; w != HappensBefore::kNone; w = (*order_)[w].find(next.use[0].object)->last_write) {
    const auto place = std::find(threads_.begin(), threads_.end(), index_of((*order_)[w].thread));
    const auto t = static_cast<size_t>(place - threads_.begin());
    if (cut[t] == steps_[t].size() || w < steps_[t][cut[t]]) break;
    first = w;
  }
  const OpKind kind = (*order_)[first].kind;
  return kind == OpKind::Lock || kind == OpKind::TryLock || kind == OpKind::Reacquire;
}

}  // namespace lockstep
