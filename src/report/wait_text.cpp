// Describes waits, cycles and missed notifications.
#include "report/wait_text.hpp"

#include <fmt/format.h>

#include <optional>

#include "analysis/lock_owners.hpp"
#include "report/operation_text.hpp"
#include "report/user_frames.hpp"

namespace lockstep {
namespace {

std::string waited_for(const WaitGraph::Edge& edge, const TraceNames& names) {
  switch (edge.kind) {
    case OpKind::Join: return edge.holders.empty() ? "a thread to end" : names.thread(edge.holders.front()) + " to end";
    case OpKind::CondWait: return "a signal on " + names.object(edge.object);
    case OpKind::FutexBlocked: return "a notification of " + names.object(edge.object);
    case OpKind::BarrierLeave: return "others at " + names.object(edge.object);
    case OpKind::SemWait: return names.object(edge.object) + " to be released";
    case OpKind::Io: return io_text(Companion::io(edge.object));
    default: return names.object(edge.object);
  }
}

// Can the thread have read something in this step, or since its last step, that decides whether it waits?
bool may_test(const Step& step) {
  switch (step.kind) {
    case OpKind::Lock:
    case OpKind::Unlock:
    case OpKind::CondWait: return step.read_before();
    default: return true;
  }
}

// The last notification that came too early for this waiter. The waiter must not have read anything after it: otherwise
// it saw the notified change and waits for another one.
std::optional<size_t> missed_notification(const WaitGraph::Edge& edge, TraceView trace) {
  LockOwners now;
  std::optional<size_t> missed;
  // Since the notification; what it read before its next step, it read before the notification.
  bool waiter_ran = false;
  const auto steps = trace.steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const bool signals = step.kind == OpKind::CondSignal || step.kind == OpKind::CondBroadcast;
    if (signals && step.object == edge.object && !now.anyone_waits_for(edge.object)) {
      missed = i;
      waiter_ran = false;
    } else if (step.thread == edge.waiter) {
      const bool only_waits = step.kind == OpKind::CondWait || step.kind == OpKind::Lock || step.kind == OpKind::Unlock;
      if (waiter_ran ? may_test(step) : !only_waits) missed.reset();
      waiter_ran = true;
    }
    now.apply(step);
  }
  return missed;
}

// The signal that a thread waits for has been given too early: condition variables do not remember signals.
std::string unheard_signal(const WaitGraph::Edge& edge, const TraceNames& names) {
  if (edge.kind != OpKind::CondWait) return {};
  const std::optional<size_t> missed = missed_notification(edge, names.trace());
  if (!missed) return {};
  const auto frame = innermost_user_frame(names.stack_of_step(*missed), names.symbols());
  const std::string place = frame ? short_place(frame->where) : "";
  return fmt::format(" (when {} notified it{}, nobody was waiting)",
                     names.thread(names.trace().steps()[*missed].thread), place.empty() ? "" : " at " + place);
}

}  // namespace

std::vector<WaitGraph::Edge> telling_edges(const WaitGraph& graph) {
  if (graph.cycle.empty()) return graph.edges;
  std::vector<WaitGraph::Edge> edges;
  for (ThreadId t : graph.cycle)
    for (const WaitGraph::Edge& edge : graph.edges)
      if (edge.waiter == t) edges.push_back(edge);
  return edges;
}

std::string describe_waits(const WaitGraph& graph, const TraceNames& names) {
  std::string text;
  for (const WaitGraph::Edge& edge : telling_edges(graph)) {
    text +=
        fmt::format("{}{} waits for {}", text.empty() ? "" : ", ", names.thread(edge.waiter), waited_for(edge, names));
    text += unheard_signal(edge, names);
    if (edge.kind == OpKind::Join) continue;
    for (size_t i = 0; i < edge.holders.size(); ++i)
      text += fmt::format("{} {}", i == 0 ? " held by" : " and",
                          edge.holders[i] == edge.waiter ? "itself" : names.thread(edge.holders[i]));
  }
  return text;
}

std::string cycle_text(const WaitGraph& graph, const TraceNames& names, std::string_view arrow) {
  if (graph.cycle.empty()) return {};
  std::string text;
  for (const WaitGraph::Edge& edge : telling_edges(graph)) {
    text += fmt::format("{} {} ", names.thread(edge.waiter), arrow);
    if (edge.kind != OpKind::Join) text += fmt::format("{} {} ", names.object(edge.object), arrow);
  }
  return text + names.thread(graph.cycle.front());
}

std::string lock_order_text(const std::vector<LockNesting>& cycle, const TraceNames& names) {
  const auto at = [&names](uint32_t step) {
    const auto frame = innermost_user_frame(names.stack_of_step(step), names.symbols());
    const std::string place = frame ? short_place(frame->where) : "";
    return place.empty() ? place : " at " + place;
  };
  std::string text = "locks taken in opposite orders";
  for (size_t i = 0; i < cycle.size(); ++i)
    text += fmt::format("{} {} takes {}{} while holding {}{}", i == 0 ? ":" : ",", names.thread(cycle[i].thread),
                        names.object(cycle[i].wanted), at(cycle[i].step), names.object(cycle[i].held),
                        at(cycle[i].held_step).empty() ? "" : " (taken" + at(cycle[i].held_step) + ")");
  return text + "; another schedule can deadlock";
}

}  // namespace lockstep
