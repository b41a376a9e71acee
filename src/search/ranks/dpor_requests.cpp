// Finds the backtracking points of an execution.
#include "search/ranks/dpor_requests.hpp"

#include <algorithm>

#include "search/dpor/race_finder.hpp"

namespace lockstep {

void DporRequests::put(uint32_t step, ThreadId t, Request request) {
  const auto [place, fresh] = points_.try_emplace(uint64_t{step} << 16 | index_of(t), request);
  if (!fresh && request == Request::Race) place->second = request;
}

std::optional<DporRequests::Request> DporRequests::find(uint32_t step, uint16_t value) const {
  const auto place = points_.find(uint64_t{step} << 16 | value);
  if (place == points_.end()) return std::nullopt;
  return place->second;
}

// The alternatives of an execution lie after its last deviation, so only races whose first step lies there matter.
void DporRequests::look(const ExecutionView& execution) {
  points_.clear();
  const TraceView trace = execution.trace();
  const auto deltas = execution.deltas();
  const uint32_t first = deltas.empty() ? 0 : deltas.back().step + 1;
  HappensBefore& order = order_;
  order.truncate(std::min(execution.same(), first));
  dpor::RaceFinder finder(order);
  uint32_t record = order.size();
  for (const Step& step : trace.steps().subspan(record)) {
    order.push(step);
    if (record > first && !step.is_note() && !step.is_choice()) {
      finder.find(order[record], record, false, step.kind == OpKind::ProcessExit, races_);
      for (const uint32_t earlier : races_)
        if (earlier >= first) add_requests(execution, earlier, step.thread, order, record);
    }
    ++record;
  }
  for (const Step& pending : trace.pending()) {
    // They have no step of their own.
    if (pending.kind == OpKind::Join || pending.kind == OpKind::BarrierLeave) continue;
    const dpor::Event event = dpor::as_event(order, pending);
    finder.find(event, record, pending.flags & Step::kBlocked, pending.kind == OpKind::ProcessExit, races_);
    for (const uint32_t earlier : races_)
      if (earlier >= first) add_requests(execution, earlier, pending.thread, order, record);
  }
}

void DporRequests::add_requests(const ExecutionView& execution, uint32_t step, ThreadId wanted,
                                const HappensBefore& order, uint32_t later) {
  const Step& at = execution.trace().steps()[step];
  if (at.is_note() || at.is_choice()) return;
  const ThreadSetView enabled = execution.trace().enabled(at);
  const bool before_release = is_release(at.kind);
  if (enabled.contains(wanted)) return put(step, wanted, before_release ? Request::Conservative : Request::Race);
  // Another thread has to enable it: threads with a step that it depends on, otherwise all threads.
  bool found = false;
  enabled.for_each([&](ThreadId t) {
    const uint32_t next = execution.next_of(t, step + 1);
    if (t == at.thread || next >= later || next >= order.size() || !order.known_to(next, wanted)) return;
    found = true;
    put(step, t, Request::Conservative);
  });
  if (found) return;
  enabled.for_each([&](ThreadId t) { put(step, t, Request::Conservative); });
}

}  // namespace lockstep
