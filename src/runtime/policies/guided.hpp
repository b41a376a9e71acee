// A schedule as a wish: run this thread for so many steps, then that one, and skip whatever cannot be done. Shrinking
// needs it: after a change in the middle the rest of a schedule has to find its way by itself.
#pragma once
#include "model/ids.hpp"
#include "model/policy_input.hpp"

namespace lockstep::rt {

class Guided {
 public:
  void begin(const uint64_t* words, uint32_t count) {  // of Wishes
    stretches_ = words + 1;
    stretch_count_ = count > 0 && words[0] < count ? static_cast<uint32_t>(words[0]) : 0;
    choices_ = stretches_ + stretch_count_;
    choice_count_ = count > 0 ? count - 1 - stretch_count_ : 0;
    at_ = taken_ = 0;
    for (uint16_t& n : chosen_) n = 0;
  }

  // Who shall run; kNoThread once all wishes are used up.
  template <class CanRun>
  ThreadId choose(CanRun&& can_run) {
    for (; at_ < stretch_count_; ++at_, taken_ = 0) {
      const Stretch wish = Stretch::of(stretches_[at_]);
      if (taken_ >= wish.steps || !can_run(wish.thread)) continue;
      ++taken_;
      return wish.thread;
    }
    return kNoThread;
  }

  uint16_t choose_data(ThreadId t, unsigned alternatives) {
    const uint16_t n = chosen_[index_of(t)]++;
    for (uint32_t i = 0; i < choice_count_; ++i) {
      const DataChoice wish = DataChoice::of(choices_[i]);
      if (wish.thread == t && wish.number == n && wish.value < alternatives) return wish.value;
    }
    return 0;
  }

 private:
  const uint64_t *stretches_ = nullptr, *choices_ = nullptr;
  uint32_t stretch_count_ = 0, choice_count_ = 0;
  uint32_t at_ = 0, taken_ = 0;
  uint16_t chosen_[kMaxThreads] = {};  // data choices so far, by thread
};

}  // namespace lockstep::rt
