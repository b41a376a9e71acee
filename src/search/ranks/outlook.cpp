#include "search/ranks/outlook.hpp"

#include <algorithm>

namespace lockstep {

void Outlook::look(TraceView trace, std::span<const Delta> deltas) {
  trace_ = trace;
  deltas_ = deltas;
  running_.clear();
  for (auto& list : operations_) list.clear();
  stacks_.clear();
  if (trace.header().detail) stacks_ = trace.all_stacks();
  const auto add = [this](ThreadId t, uint32_t number) {
    if (index_of(t) >= operations_.size()) operations_.resize(index_of(t) + 1);
    operations_[index_of(t)].push_back(number);
  };
  ThreadId running = kNoThread;
  uint32_t number = 0;
  for (const Step& step : trace.steps()) {
    running_.push_back(running);
    if (!step.is_note() && !step.is_choice()) {
      add(step.thread, number);
      running = step.thread;
    }
    ++number;
  }
  for (const Step& step : trace.pending()) add(step.thread, number++);
}

uint32_t Outlook::next_of(ThreadId t, uint32_t step) const {
  if (index_of(t) >= operations_.size()) return kNone;
  const auto& list = operations_[index_of(t)];
  const auto place = std::lower_bound(list.begin(), list.end(), step);
  return place == list.end() ? kNone : *place;
}

}  // namespace lockstep
