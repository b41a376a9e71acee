// The cost of a trace: the fewest preemptions with which any of its executions can be run.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/happens_before.hpp"

namespace lockstep {

// The cost depends on the happens-before order alone: the set of steps done determines the next step of each thread and
// whether the thread is blocked. The search goes over the cuts of the order, so it can take long for many threads; call
// it only if the execution at hand exceeds the bound.
class MinPreemptions {
 public:
  // Do all executions of the order's first `size` records have more than `bound` preemptions? The cost of a prefix is
  // at most that of its extensions: a switch from a thread without further steps in the prefix costs nothing.
  bool exceeds(const HappensBefore& order, uint32_t size, uint32_t bound);
  // As above, for a whole execution. The next operations of unfinished threads show whether a switch from them was a
  // preemption.
  bool exceeds(HappensBefore& order, std::span<const Step> pending, uint32_t bound);

 private:
  using Cut = std::u32string;  // number of steps done by each thread, then the thread of the last step
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

  // A round of a spin loop that runs because a value that the loop reads has changed.
  struct Round {
    uint32_t record;               // its first step; size_ + the thread's place: a pending round
    std::vector<uint32_t> writes;  // to what the loop reads, since its last reads and before the round
    std::vector<uint32_t> enough;  // writes of these after which the loop surely goes on
  };
  void add_round(const Event& next, uint32_t record);
  const Round* round_at(uint32_t record) const;
  bool may_go_round(const Cut& cut, uint32_t record) const;

  // The functions below give the state of an object after exactly the steps of the cut.
  template <class Visit>
  void for_each_access(uint32_t object, Visit visit) const;
  bool is_free(const Cut& cut, uint32_t object, bool waited_for = false) const;  // `waited_for`: by a blocked thread
  bool has_writer(const Cut& cut, uint32_t object, bool waited_for = false) const;
  int readers(const Cut& cut, uint32_t object) const;
  bool has_units(const Cut& cut, uint32_t semaphore, bool untouched) const;  // `untouched`: without accesses
  bool is_woken(const Cut& cut, const Event& reacquire) const;

  const HappensBefore* order_ = nullptr;
  uint32_t size_ = 0;
  bool whole_ = false;                        // a whole execution: waits are evaluated exactly
  std::vector<unsigned> threads_;             // threads with steps or a pending step
  std::vector<size_t> places_;                // by thread number: its place in `threads_`
  std::vector<std::vector<uint32_t>> steps_;  // by place: records
  std::vector<Event> pending_;                // by place, in a whole execution; no thread: it has ended
  std::vector<Round> rounds_;                 // ascending by record
  std::unordered_set<Cut> seen_;
  std::vector<Cut> now_, later_;  // to be visited with the current number of preemptions, and with one more
};

}  // namespace lockstep
