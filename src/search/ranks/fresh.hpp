// Rank `fresh`: switches between two operations that have rarely followed each other go first. Two operations are equal
// if kind and object are. Executions that only repeat a switch are unlikely to show anything new.
#pragma once
#include <bit>
#include <unordered_map>

#include "search/ranks/rank.hpp"

namespace lockstep {

class FreshRank final : public Rank {
 public:
  void look(const ExecutionView& execution) override {
    const auto deltas = execution.deltas();
    const auto steps = execution.trace().steps();
    for (uint32_t i = deltas.empty() ? 0 : deltas.back().step; i < steps.size(); ++i)
      if (!steps[i].is_note() && !steps[i].is_choice() && execution.running(i) != steps[i].thread)
        ++met_[meeting(execution, i, steps[i].thread)];
  }
  uint64_t of(const ExecutionView& execution, const Alternative& a) override {
    if (!chooses_thread(execution, a)) return 0;
    const auto place = met_.find(meeting(execution, a.step, ThreadId{a.value}));
    return place == met_.end() ? 0 : static_cast<uint64_t>(std::bit_width(place->second));
  }

 private:
  static uint64_t meeting(const ExecutionView& execution, uint32_t step, ThreadId next) {
    uint64_t hash = 0x243f6a8885a308d3ull;
    for (const ThreadId t : {execution.running(step), next}) {
      const uint32_t number = t == kNoThread ? ExecutionView::kNone : execution.next_of(t, step);
      const uint64_t what = number == ExecutionView::kNone
                                ? 0
                                : static_cast<uint64_t>(execution.operation(number).object) * 64 +
                                      static_cast<uint64_t>(execution.operation(number).kind);
      hash = (hash ^ what) * 0x9e3779b97f4a7c15ull;
      hash ^= hash >> 32;
    }
    return hash;
  }
  std::unordered_map<uint64_t, uint64_t> met_;  // how often each switch was made
};

}  // namespace lockstep
