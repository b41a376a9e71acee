// The state of an analysis after the common prefix of recent traces, for analyses that read traces record by record:
// only the records after a long prefix are read again.
#pragma once
#include <algorithm>
#include <cstdint>

#include "model/trace.hpp"

namespace lockstep {

template <class State>
class CommonPrefix {
 public:
  // Returns the number of records of this trace that state() covers. `read(state, from, to)` extends the state.
  template <class Read>
  uint32_t of(TraceView trace, Read&& read) {
    const uint32_t same = last_.shared_with(trace);
    if (same == 0 && at_ == 0) return common_ = 0;  // usual for short executions
    if (same < at_) begin_anew();
    common_ = std::min(common_, same);
    if (++traces_ % kEvery != 0) return at_;
    if (common_ > at_) {
      read(state_, at_, common_);
      at_ = common_;
    }
    common_ = kAll;
    return at_;
  }
  const State& state() const { return state_; }
  void begin_anew() {
    if (at_ != 0) state_ = State{};
    at_ = 0;
  }

 private:
  static constexpr uint32_t kAll = 0xffff'ffff;
  static constexpr uint32_t kEvery = 32;  // traces between updates, which read the prefix again

  State state_{};
  uint32_t at_ = 0, common_ = kAll, traces_ = 0;
  Predecessor last_;
};

}  // namespace lockstep
