// SURW, selectively uniform random walk (Zhao, Wolff, Mathur & Roychoudhury 2025): every order of the operations on one
// chosen object is equally likely, no matter what else the threads do in between. The thread of the next such operation
// is drawn, weighted by the number of operations that each thread still has to do. The other threads wait before
// theirs; everything else is a random walk.
// A thread that does other things for long before its next operation may busy-wait for a thread that waits for it. Then
// no more operations are expected of it, and in the end no thread waits.
#pragma once
#include "model/ids.hpp"
#include "model/policy_input.hpp"
#include "runtime/base/random_draw.hpp"

namespace lockstep::rt {

class Surw {
 public:
  void begin(uint64_t seed, const uint64_t* words, uint32_t count) {  // words of ExpectedOperations
    draw_ = Draw(seed);
    for (unsigned t = 0; t < touched_; ++t) left_[t] = 0;
    touched_ = 0;
    total_ = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const ExpectedOperations expected = ExpectedOperations::of(words[i]);
      const unsigned t = index_of(expected.thread);
      if (t >= kMaxThreads || expected.count == 0) continue;
      total_ += expected.count - left_[t];
      left_[t] = expected.count;
      if (t >= touched_) touched_ = t + 1;
    }
    intended_ = kNoThread;
    drawn_ = false;
    waited_ = 0;
    holds_ = true;
  }

  // `each(visit)` visits the candidates, ascending, at least one; `chosen(t)`: is t's next operation on the object?
  template <class Each, class Chosen>
  ThreadId choose(Each&& each, Chosen&& chosen) {
    if (waited_ == kSurwPatience) give_up();
    if (!drawn_) intend(draw_expected());
    unsigned free = 0, all = 0;
    each([&](ThreadId t) {
      free += is_free(t, chosen);
      ++all;
    });
    if (free < all) ++waited_;
    if (free == 0) {  // all candidates wait for a thread that cannot run
      intend(draw_waiting(each));
      free = 1;
    }
    uint32_t skip = draw_.below(free);
    ThreadId next = kNoThread;
    each([&](ThreadId t) {
      if (next == kNoThread && is_free(t, chosen) && skip-- == 0) next = t;
    });
    if (chosen(next)) {
      uint32_t& left = left_[index_of(next)];
      if (left > 0) --left, --total_;
      drawn_ = false;
      waited_ = 0;
    }
    return next;
  }

 private:
  template <class Chosen>
  bool is_free(ThreadId t, Chosen&& chosen) const {
    return !holds_ || t == intended_ || !chosen(t);
  }
  void give_up() {
    waited_ = 0;
    drawn_ = false;
    if (intended_ == kNoThread || left_[index_of(intended_)] == 0) {
      holds_ = false;
      return;
    }
    total_ -= left_[index_of(intended_)];
    left_[index_of(intended_)] = 0;
  }
  void intend(ThreadId t) {
    intended_ = t;
    drawn_ = true;
  }
  ThreadId draw_expected() {
    if (total_ == 0) return kNoThread;
    uint32_t skip = draw_.below(total_);
    for (unsigned t = 0;; ++t) {
      if (skip < left_[t]) return ThreadId{static_cast<uint16_t>(t)};
      skip -= left_[t];
    }
  }
  // A thread that has done all its expected operations has at least one more, which is pending.
  template <class Each>
  ThreadId draw_waiting(Each&& each) {
    uint32_t sum = 0;
    each([&](ThreadId t) { sum += weight(t); });
    uint32_t skip = draw_.below(sum);
    ThreadId drawn = kNoThread;
    each([&](ThreadId t) {
      if (drawn != kNoThread) return;
      if (skip < weight(t))
        drawn = t;
      else
        skip -= weight(t);
    });
    return drawn;
  }
  uint32_t weight(ThreadId t) const { return left_[index_of(t)] ? left_[index_of(t)] : 1; }

  Draw draw_;
  uint32_t total_ = 0;
  unsigned touched_ = 0;  // only threads below this index may have operations left
  ThreadId intended_ = kNoThread;
  bool drawn_ = false;
  bool holds_ = true;    // who is not intended waits before the object
  uint32_t waited_ = 0;  // decisions since the last operation on the object at which somebody waited
  uint32_t left_[kMaxThreads] = {};
};

}  // namespace lockstep::rt
