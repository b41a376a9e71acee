// PCT, probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi & Nagarakatte 2010): threads have random
// priorities, and at depth - 1 random points the thread about to run falls behind all others. With at most n threads
// and at most k decisions, a bug that needs `depth` ordering constraints shows with probability at least
// 1/(n*k^(depth-1)).
//
// Only decisions between several threads are counted: a change of priorities elsewhere has no effect.
//
// With chosen variables (PCTVB, Bindal, Bansal & Lal 2013) the change points are drawn among their accesses instead:
// before the j-th access to variable q, for pairs (q, j). Plan::extra: {address, size, maximal expected accesses} of
// every variable.
//
// Threads that wake each other without end would starve the others. After more decisions than expected, for which the
// probability makes no promise, one thread now and then falls behind all others.
#pragma once
#include "model/ids.hpp"
#include "model/plan.hpp"
#include "runtime/base/random_draw.hpp"

namespace lockstep::rt {

inline constexpr uint32_t kPctPatience = 2'000;

class Pct {
 public:
  void begin(uint64_t seed, unsigned depth, uint32_t horizon) {
    draw_ = Draw(seed);
    depth_ = depth < 1 ? 1 : depth > kMaxPctDepth ? kMaxPctDepth : depth;
    counted_ = 0;
    fair_at_ = horizon < kNever - kPctPatience ? horizon + kPctPatience : kNever;
    known_ = 0;
    lowest_ = 0;
    next_ = kNever;
    // Point i sets its thread's priority to i. The points are not sorted: which of them gives the lowest priority is
    // also random.
    for (unsigned i = 1; i < depth_; ++i) {
      point_[i] = kNever;
      if (i > horizon) continue;  // no room for more distinct points
      do point_[i] = 1 + draw_.below(horizon);
      while (drawn_before(i));
      if (point_[i] < next_) next_ = point_[i];
    }
    ranks_ = draw_.next();
    variables_ = nullptr;
    variable_count_ = 0;
  }
  void begin(uint64_t seed, unsigned depth, const uint64_t* extra, uint32_t words) {
    uint64_t total = 0;
    const uint32_t count = words / 3 < kMostVariables ? words / 3 : kMostVariables;
    for (uint32_t q = 0; q < count; ++q) total += extra[3 * q + 2];
    begin(seed, depth, total < kNever ? static_cast<uint32_t>(total) : kNever - 1);
    fair_at_ = 50 * kPctPatience;
    variables_ = extra;
    variable_count_ = count;
    for (uint32_t q = 0; q < count; ++q) accesses_[q] = 0;
  }
  bool of_variables() const { return variables_ != nullptr; }

  // Like choose() below, with change points at accesses: `next(t)` is the address of t's next access.
  template <class Each, class Next>
  ThreadId choose(Each&& each, ThreadId tired, Next&& next) {
    if (tired != kNoThread) priority(tired) = --lowest_;
    unsigned candidates = 0;
    ThreadId best = highest(each, &candidates);
    for (unsigned round = 0; round < depth_; ++round) {
      const uint32_t number = access_number(next(best));
      unsigned change = 0;
      for (unsigned i = 1; i < depth_; ++i)
        if (number != kNever && point_[i] == number) change = i;
      if (change == 0) break;
      point_[change] = kNever;
      priority(best) = static_cast<int64_t>(change);
      best = highest(each, &candidates);
    }
    if (candidates > 1 && ++counted_ >= fair_at_) best = give_way(each, best);
    if (const uint32_t q = variable_of(next(best)); q != kNever) ++accesses_[q];
    return best;
  }

  // `each(visit)` visits the candidates, ascending, at least one. `tired`: the thread that just yielded or timed out,
  // if any. It gets the lowest priority; otherwise a thread that waits by polling would starve the others.
  template <class Each>
  ThreadId choose(Each&& each, ThreadId tired) {
    if (tired != kNoThread) priority(tired) = --lowest_;
    unsigned candidates = 0;
    ThreadId best = highest(each, &candidates);
    if (candidates == 1) return best;
    if (++counted_ >= fair_at_) best = give_way(each, best);
    if (counted_ < next_) return best;
    next_ = kNever;
    for (unsigned i = 1; i < depth_; ++i) {
      if (point_[i] == counted_) priority(best) = static_cast<int64_t>(i);
      if (point_[i] > counted_ && point_[i] < next_) next_ = point_[i];
    }
    return highest(each, &candidates);
  }

 private:
  static constexpr uint32_t kNever = 0xffff'ffff;

  bool drawn_before(unsigned i) const {
    for (unsigned j = 1; j < i; ++j)
      if (point_[j] == point_[i]) return true;
    return false;
  }

  // A thread's first priority depends only on its id and is above those of change points: its creation time does not
  // matter.
  int64_t& priority(ThreadId t) {
    for (; known_ <= index_of(t); ++known_)
      priority_[known_] =
          static_cast<int64_t>((Draw(ranks_ ^ known_ * 0xd1342543de82ef95ull).next() >> 2) + kMaxPctDepth);
    return priority_[index_of(t)];
  }

  template <class Each>
  ThreadId give_way(Each&& each, ThreadId best) {
    fair_at_ = counted_ < kNever - kPctPatience ? counted_ + kPctPatience : kNever;
    priority(best) = --lowest_;
    unsigned candidates = 0;
    return highest(each, &candidates);
  }

  template <class Each>
  ThreadId highest(Each&& each, unsigned* candidates) {
    ThreadId best = kNoThread;
    *candidates = 0;
    each([&](ThreadId t) {
      ++*candidates;
      if (best == kNoThread || priority(t) > priority(best)) best = t;
    });
    return best;
  }

  static constexpr uint32_t kMostVariables = kMaxTracked;
  uint32_t variable_of(uint64_t address) const {
    for (uint32_t q = 0; q < variable_count_; ++q)
      if (address - variables_[3 * q] < variables_[3 * q + 1]) return q;
    return kNever;
  }
  // The number of the next access among all pairs (q, j), from 1.
  uint32_t access_number(uint64_t address) const {
    const uint32_t q = variable_of(address);
    if (q == kNever || accesses_[q] >= variables_[3 * q + 2]) return kNever;
    uint64_t number = accesses_[q] + 1;
    for (uint32_t before = 0; before < q; ++before) number += variables_[3 * before + 2];
    return static_cast<uint32_t>(number);
  }

  const uint64_t* variables_ = nullptr;
  uint32_t variable_count_ = 0;
  uint32_t accesses_[kMostVariables] = {};
  Draw draw_;
  uint64_t ranks_ = 0;
  unsigned depth_ = 1, known_ = 0;  // threads below known_ have a priority
  uint32_t counted_ = 0, next_ = kNever, fair_at_ = kNever;
  int64_t lowest_ = 0;
  uint32_t point_[kMaxPctDepth] = {};
  int64_t priority_[kMaxThreads] = {};
};

}  // namespace lockstep::rt
