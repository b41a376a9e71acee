#include "report/wait_text.hpp"

#include <fmt/format.h>

#include <optional>

#include "analysis/holdings.hpp"
#include "report/operation_text.hpp"
#include "report/user_code.hpp"

namespace lockstep {
namespace {

std::string waited_for(const WaitGraph::Edge& edge, const TraceNames& names) {
  switch (edge.kind) {
    case OpKind::Join: return edge.holders.empty() ? "a thread to end" : names.thread(edge.holders.front()) + " to end";
    case OpKind::CondWait: return "a signal on " + names.object(edge.object);
    case OpKind::FutexBlocked: return "a notification of " + names.object(edge.object);
    case OpKind::BarrierLeave: return "others at " + names.object(edge.object);
    case OpKind::SemWait: return names.object(edge.object) + " to be released";
    case OpKind::Io: return io_text(edge.object);
    default: return names.object(edge.object);
  }
}

// A signal that is waited for and has been given, too early: condition variables do not remember.
std::string unheard_signal(const WaitGraph::Edge& edge, const TraceNames& names) {
  if (edge.kind != OpKind::CondWait) return {};
  Holdings now;
  std::optional<size_t> last;
  const auto steps = names.trace().steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool signals = steps[i].kind == OpKind::CondSignal || steps[i].kind == OpKind::CondBroadcast;
    if (signals && steps[i].object == edge.object && !now.anyone_waits_for(edge.object)) last = i;
    now.apply(steps[i]);
  }
  if (!last) return {};
  const auto frame = innermost_user_frame(names.stack_of_step(*last), names.symbols());
  const std::string place = frame ? short_place(frame->where) : "";
  return fmt::format(" (when {} notified it{}, nobody was waiting)", names.thread(steps[*last].thread),
                     place.empty() ? "" : " at " + place);
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
