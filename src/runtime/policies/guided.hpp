// A schedule as a wish: run this thread for so many steps, then that one, and skip whatever cannot be done. Shrinking
// needs it: after a change in the middle the rest of a schedule has to find its way by itself.
//
// The plan's deltas are read differently: with `reserved` 0, a stretch of `step` steps of thread `value`; otherwise the
// data alternative `value` for the `step`-th choice, from 0, of thread `reserved` - 1.
#pragma once
#include "model/ids.hpp"
#include "model/plan.hpp"

namespace lockstep::rt {

class Guided {
 public:
  void begin(const Delta* wishes, uint32_t count) {
    wishes_ = wishes;
    count_ = count;
    at_ = taken_ = 0;
    for (uint16_t& n : choices_) n = 0;
  }

  // Who shall run; kNoThread once all wishes are used up.
  template <class CanRun>
  ThreadId choose(CanRun&& can_run) {
    for (; at_ < count_; ++at_, taken_ = 0) {
      const Delta& wish = wishes_[at_];
      if (wish.reserved != 0 || taken_ >= wish.step || !can_run(ThreadId{wish.value})) continue;
      ++taken_;
      return ThreadId{wish.value};
    }
    return kNoThread;
  }

  uint16_t choose_data(ThreadId t, unsigned alternatives) {
    const uint16_t n = choices_[index_of(t)]++;
    for (uint32_t i = 0; i < count_; ++i)
      if (wishes_[i].reserved == index_of(t) + 1 && wishes_[i].step == n && wishes_[i].value < alternatives)
        return wishes_[i].value;
    return 0;
  }

 private:
  const Delta* wishes_ = nullptr;
  uint32_t count_ = 0, at_ = 0, taken_ = 0;
  uint16_t choices_[kMaxThreads] = {};
};

}  // namespace lockstep::rt
