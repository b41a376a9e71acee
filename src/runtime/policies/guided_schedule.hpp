// Follows a schedule as far as possible: runs a thread for N steps, then the next one, and skips what cannot run. Used
// by shrinking: after a change in the middle, the rest of a schedule must still apply as far as it can.
#pragma once
#include "model/ids.hpp"
#include "model/policy_input.hpp"

namespace lockstep::rt {

class Guided {
 public:
  void begin(const uint64_t* words, uint32_t count) {  // of a GuidedSchedule
    segments_ = words + 1;
    segment_count_ = count > 0 && words[0] < count ? static_cast<uint32_t>(words[0]) : 0;
    choices_ = segments_ + segment_count_;
    choice_count_ = count > 0 ? count - 1 - segment_count_ : 0;
    at_ = taken_ = 0;
    for (uint16_t& n : chosen_) n = 0;
  }

  // The thread to run; kNoThread once all segments are used up.
  template <class CanRun>
  ThreadId choose(CanRun&& can_run) {
    for (; at_ < segment_count_; ++at_, taken_ = 0) {
      const Segment segment = Segment::of(segments_[at_]);
      if (taken_ >= segment.steps || !can_run(segment.thread)) continue;
      ++taken_;
      return segment.thread;
    }
    return kNoThread;
  }

  uint16_t choose_data(ThreadId t, unsigned alternatives) {
    const uint16_t n = chosen_[index_of(t)]++;
    for (uint32_t i = 0; i < choice_count_; ++i) {
      const DataChoice choice = DataChoice::of(choices_[i]);
      if (choice.thread == t && choice.number == n && choice.value < alternatives) return choice.value;
    }
    return 0;
  }

 private:
  const uint64_t *segments_ = nullptr, *choices_ = nullptr;
  uint32_t segment_count_ = 0, choice_count_ = 0;
  uint32_t at_ = 0, taken_ = 0;
  uint16_t chosen_[kMaxThreads] = {};  // number of data choices so far, by thread
};

}  // namespace lockstep::rt
