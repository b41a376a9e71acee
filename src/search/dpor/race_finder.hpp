// Finds the reversible races of a step: the earlier steps of the execution that could have come after it.
#pragma once
#include <vector>

#include "analysis/happens_before.hpp"

namespace lockstep::dpor {

using Event = HappensBefore::Event;

// False if the execution was cut off, or stopped with all threads waiting.
inline bool ends_the_process(Outcome outcome) {
  switch (outcome) {
    case Outcome::Deadlock:
    case Outcome::StepLimit:
    case Outcome::Livelock:
    case Outcome::Redundant: return false;
    default: return true;
  }
}

// An operation that has not been executed, as an event after the last record.
Event as_event(HappensBefore& order, const Step& pending);

// Finds the records before `limit` that are dependent with `next`, have nothing between them and `next` in the
// happens-before order, and do not enable `next`. For an operation that can block, a release is no partner (it enables
// the operation) and hides nothing. The partner is the nearest step before which the operation could have run, usually
// the acquisition before that release.
class RaceFinder {
 public:
  explicit RaceFinder(const HappensBefore& order) : order_(order) {}

  bool overlooks = false;  // planted mistake: an acquisition does not race with steps that only looked

  // `blocked`: `next` is pending and not enabled. `ends`: `next` ends the process, so it races with the last step of
  // every thread.
  void find(const Event& next, uint32_t limit, bool blocked, bool ends, std::vector<uint32_t>& out);

 private:
  using Use = HappensBefore::Use;
  static constexpr uint32_t kNone = HappensBefore::kNone;

  bool known(uint32_t record) const;  // the record happens before `next` whichever race is reversed
  bool opens(const Event& event) const;
  void plain(const Use& use);
  void acquire(const Use& use);
  void write_lock(const Use& use);
  void read_lock(const Use& use);
  void reacquire();
  void all_threads();
  uint32_t last_decision(ThreadId t) const;
  uint32_t waker() const;
  bool writer_before(uint32_t record, uint32_t object) const;
  bool readers_gone(uint32_t object, uint32_t without) const;
  void keep_latest();

  const HappensBefore& order_;
  const Event* next_ = nullptr;
  uint32_t limit_ = 0, enabler_ = kNone;
  bool blocked_ = false;
  std::vector<uint32_t>* out_ = nullptr;
};

}  // namespace lockstep::dpor
