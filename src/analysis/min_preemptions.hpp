// The cost of a trace: the fewest preemptions with which any of its executions can be run.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/happens_before.hpp"

namespace lockstep {

// A property of the order alone: what a thread would do next and whether it has to wait follows from what has been
// done, in whatever order. Searches over the ways to cut the order in two, so it can take long for many threads; ask
// only if the execution at hand costs more than what is allowed.
class MinPreemptions {
 public:
  // Do all executions of the order's first `size` records have more than `bound` preemptions? Of a prefix this is no
  // more than of what follows: leaving a thread that does no more in it is free.
  bool exceeds(const HappensBefore& order, uint32_t size, uint32_t bound);
  // The same of a whole execution. What its unfinished threads would have done next says whether they were left in
  // vain.
  bool exceeds(HappensBefore& order, std::span<const Step> pending, uint32_t bound);

 private:
  using Cut = std::u32string;  // steps done by each thread, then who did the last one
  using Event = HappensBefore::Event;
  static constexpr uint32_t kNone = HappensBefore::kNone;

  bool search(uint32_t bound);
  void collect();
  size_t place_of(ThreadId thread);
  bool has_done(const Cut& cut, uint32_t record) const;
  bool knows(const Cut& cut, uint32_t record) const;
  bool can_follow(const Cut& cut, size_t thread) const {
    const uint32_t record = steps_[thread][cut[thread]];
    return knows(cut, record) && may_go_round(cut, record);
  }
  bool can_run(const Cut& cut, size_t thread) const;
  bool can_go_on(const Cut& cut, const Event& next, uint32_t record, bool ready) const;
  bool would_get(const Cut& cut, const Event& timeout) const;
  bool others_can_run(const Cut& cut, size_t thread) const;
  bool has_yielded(const Cut& cut, size_t thread) const;

  // Rounds of spin loops that are there because of a change of what the loop reads.
  struct Round {
    uint32_t record;               // of its first step; size_ and more: pending, by the place of the thread
    std::vector<uint32_t> writes;  // since the loop read them last, and before the round
    std::vector<uint32_t> enough;  // of these, after which it can go on for sure
  };
  void add_round(const Event& next, uint32_t record);
  const Round* round_at(uint32_t record) const;
  bool may_go_round(const Cut& cut, uint32_t record) const;

  // The state of an object when just the steps of the cut have been done.
  template <class Visit>
  void for_each_access(uint32_t object, Visit visit) const;
  bool is_free(const Cut& cut, uint32_t object, bool waited_for = false) const;  // in the end, by who asks
  bool has_writer(const Cut& cut, uint32_t object, bool waited_for = false) const;
  int readers(const Cut& cut, uint32_t object) const;
  bool has_units(const Cut& cut, uint32_t semaphore, bool untouched) const;  // by anybody: whether it has some then
  bool is_woken(const Cut& cut, const Event& reacquire) const;

  const HappensBefore* order_ = nullptr;
  uint32_t size_ = 0;
  bool whole_ = false;                        // then who waits for what is found out exactly
  std::vector<unsigned> threads_;             // that take steps, or would
  std::vector<size_t> places_;                // of a thread among these
  std::vector<std::vector<uint32_t>> steps_;  // of each, as records
  std::vector<Event> pending_;                // of each, in a whole execution; no thread: it has ended
  std::vector<Round> rounds_;                 // ascending
  std::unordered_set<Cut> seen_;
  std::vector<Cut> now_, later_;  // to be looked at with this many preemptions, and with one more
};

}  // namespace lockstep
