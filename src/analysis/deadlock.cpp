// Builds the wait-for graph of the last state of a trace and looks for a cycle in it.
#include "analysis/deadlock.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include "analysis/finding.hpp"
#include "analysis/lock_owners.hpp"

namespace lockstep {
namespace {

WaitGraph::Edge edge_of(const Step& pending, const LockOwners& now) {
  if (pending.kind == OpKind::Join) return {pending.thread, pending.object, pending.kind, {pending.second.thread()}};
  if (pending.kind == OpKind::Reacquire && now.waits_for_signal(pending.thread))
    return {pending.thread, pending.second.condition(), OpKind::CondWait, {}};
  if (pending.kind == OpKind::Io) return {pending.thread, pending.second.io_name(), pending.kind, {}};
  return {pending.thread, pending.object, pending.kind, now.holders(pending.object)};
}

const WaitGraph::Edge* edge_from(const WaitGraph& graph, ThreadId t) {
  for (const auto& edge : graph.edges)
    if (edge.waiter == t) return &edge;
  return nullptr;
}

// Depth-first search; `path` is the chain of waiters so far. True if the chain closes on itself.
bool find_cycle(const WaitGraph& graph, ThreadId t, std::vector<ThreadId>& path, std::set<ThreadId>& seen) {
  if (const auto again = std::find(path.begin(), path.end(), t); again != path.end()) {
    path.erase(path.begin(), again);
    return true;
  }
  if (!seen.insert(t).second) return false;
  const auto* edge = edge_from(graph, t);
  if (!edge) return false;
  path.push_back(t);
  for (ThreadId holder : edge->holders)
    if (find_cycle(graph, holder, path, seen)) return true;
  path.pop_back();
  return false;
}

std::string hex(ObjectId object) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(object));
  return text;
}

std::string wanted(const WaitGraph::Edge& edge) {
  switch (edge.kind) {
    case OpKind::Join: return edge.holders.empty() ? "a thread to end" : name_of(edge.holders.front()) + " to end";
    case OpKind::CondWait: return "a signal on condition variable " + hex(edge.object);
    case OpKind::SemWait: return "semaphore " + hex(edge.object);
    case OpKind::BarrierLeave: return "the others at barrier " + hex(edge.object);
    case OpKind::OnceEnter: return "the one-time initialisation " + hex(edge.object);
    case OpKind::Io: return "input or output";
    case OpKind::FutexBlocked: return "a wake of futex " + hex(edge.object);
    case OpKind::ReadLock:
    case OpKind::WriteLock: return "readers-writer lock " + hex(edge.object);
    default: return "lock " + hex(edge.object);
  }
}

std::string sentence(const WaitGraph::Edge& edge) {
  std::string text = name_of(edge.waiter) + " waits for " + wanted(edge);
  if (edge.kind == OpKind::Join || edge.holders.empty()) return text;
  text += ", held by ";
  for (size_t i = 0; i < edge.holders.size(); ++i) {
    if (i > 0) text += " and ";
    text += edge.holders[i] == edge.waiter ? "itself" : name_of(edge.holders[i]);
  }
  return text;
}

}  // namespace

WaitGraph wait_graph(TraceView trace) {
  LockOwners now;
  for (const Step& s : trace.steps()) now.apply(s);
  WaitGraph graph;
  for (const Step& p : trace.pending())
    if (p.flags & Step::kBlocked) graph.edges.push_back(edge_of(p, now));
  std::set<ThreadId> seen;
  for (const auto& edge : graph.edges) {
    std::vector<ThreadId> path;
    if (!find_cycle(graph, edge.waiter, path, seen)) continue;
    graph.cycle = std::move(path);
    break;
  }
  return graph;
}

std::string describe(const WaitGraph& graph) {
  std::string text;
  const auto add = [&text](const WaitGraph::Edge& edge) { text += (text.empty() ? "" : "; ") + sentence(edge); };
  if (graph.cycle.empty())
    for (const auto& edge : graph.edges) add(edge);
  else
    for (ThreadId t : graph.cycle) add(*edge_from(graph, t));
  return text;
}

}  // namespace lockstep
