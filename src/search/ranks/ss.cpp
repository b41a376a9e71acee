// Computes the sleep sets of an execution.
#include "search/ranks/ss.hpp"

#include <algorithm>

#include "model/schedule.hpp"

namespace lockstep {

// At each deviation the elder siblings fall asleep: the parent's decision, and the alternatives created before this
// one. They sleep until a step is executed that depends on their next operation.
void SleepRank::look(const ExecutionView& execution) {
  changes_.clear();
  if (execution.deltas().empty()) return;
  const TraceView trace = execution.trace();
  std::vector<ThreadId> asleep;
  auto delta = execution.deltas().begin();
  const auto end = execution.deltas().end();
  for (ScheduleCursor at(trace, std::min(delta->step, trace.header().steps), 0); !at.done(); at.advance()) {
    const Step& step = at.step();
    if (step.is_note() || step.is_choice()) {
      if (delta != end && delta->step == at.index()) ++delta;
      continue;
    }
    if (delta != end && delta->step == at.index()) {
      const ThreadId parents{at.default_value()};
      trace.enabled(step).for_each([&](ThreadId t) {
        if (t != step.thread && (t == parents || t < step.thread)) asleep.push_back(t);
      });
      ++delta;
    }
    if (asleep.empty()) continue;
    const Operation done = step.operation();
    std::erase_if(asleep, [&](ThreadId t) {
      const uint32_t next = execution.next_of(t, at.index());
      return t == step.thread || next == ExecutionView::kNone || dependent(execution.operation(next).operation(), done);
    });
    if (changes_.empty() || changes_.back().asleep != asleep) changes_.push_back({at.index() + 1, asleep});
  }
}

uint64_t SleepRank::of(const ExecutionView& execution, const Alternative& a) {
  if (!chooses_thread(execution, a)) return 0;
  const auto after = std::upper_bound(changes_.begin(), changes_.end(), a.step,
                                      [](uint32_t step, const Change& c) { return step < c.step; });
  if (after == changes_.begin()) return 0;
  const auto& asleep = std::prev(after)->asleep;
  return std::find(asleep.begin(), asleep.end(), ThreadId{a.value}) == asleep.end() ? 0 : 1;
}

}  // namespace lockstep
