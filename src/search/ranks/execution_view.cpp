// Indexes the operations of an execution by thread.
#include "search/ranks/execution_view.hpp"

#include <algorithm>

namespace lockstep {

void ExecutionView::look(TraceView trace, std::span<const Delta> deltas) {
  trace_ = trace;
  deltas_ = deltas;
  same_ = before_this_.shared_with(trace);
  const std::span<const Step> steps = trace.steps();
  const auto decides = [](const Step& step) { return !step.is_note() && !step.is_choice(); };
  ThreadId running = kNoThread;
  if (same_ > 0) running = decides(steps[same_ - 1]) ? steps[same_ - 1].thread : running_[same_ - 1];
  running_.resize(same_);
  for (auto& list : operations_)
    while (!list.empty() && list.back() >= same_) list.pop_back();
  stacks_.clear();
  if (trace.header().detail) stacks_ = trace.all_stacks();
  const auto add = [this](ThreadId t, uint32_t number) {
    if (index_of(t) >= operations_.size()) operations_.resize(index_of(t) + 1);
    operations_[index_of(t)].push_back(number);
  };
  uint32_t number = same_;
  for (const Step& step : steps.subspan(same_)) {
    running_.push_back(running);
    if (decides(step)) {
      add(step.thread, number);
      running = step.thread;
    }
    ++number;
  }
  for (const Step& step : trace.pending()) add(step.thread, number++);
}

uint32_t ExecutionView::next_of(ThreadId t, uint32_t step) const {
  if (index_of(t) >= operations_.size()) return kNone;
  const auto& list = operations_[index_of(t)];
  const auto place = std::lower_bound(list.begin(), list.end(), step);
  return place == list.end() ? kNone : *place;
}

}  // namespace lockstep
