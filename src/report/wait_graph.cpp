#include "report/wait_graph.hpp"

#include <algorithm>

namespace lockstep {
namespace {

bool succeeded(const Step& step) { return (step.flags & Step::kWrite) && !(step.flags & Step::kTimedOut); }

}  // namespace

void LockOwners::release(ObjectId object, ThreadId t) {
  auto at = owners_.find(object);
  if (at == owners_.end()) return;
  auto owner = at->second.find(t);
  if (owner == at->second.end()) return;
  if (--owner->second == 0) at->second.erase(owner);
  if (at->second.empty()) owners_.erase(at);
}

void LockOwners::apply(const Step& step) {
  switch (step.kind) {
    case OpKind::Lock: case OpKind::ReadLock: case OpKind::WriteLock:
      if (!(step.flags & Step::kTimedOut)) acquire(step.object, step.thread);
      break;
    case OpKind::Reacquire:
      waiting_.erase(step.thread);
      acquire(step.object, step.thread);
      break;
    case OpKind::TryLock: case OpKind::TryReadLock: case OpKind::TryWriteLock: case OpKind::OnceEnter:
      if (succeeded(step)) acquire(step.object, step.thread);
      break;
    case OpKind::Unlock: case OpKind::ReadUnlock: case OpKind::WriteUnlock: case OpKind::OnceExit:
      release(step.object, step.thread);
      break;
    case OpKind::CondWait:
      release(step.second, step.thread);
      waiting_[step.thread] = step.object;
      break;
    case OpKind::CondSignal:
      if (step.second != kNoObject) waiting_.erase(ThreadId(static_cast<uint16_t>(static_cast<uint64_t>(step.second) - 1)));
      break;
    case OpKind::CondBroadcast:
      std::erase_if(waiting_, [&](const auto& entry) { return entry.second == step.object; });
      break;
    default: break;
  }
}

std::vector<ThreadId> LockOwners::blockers(const Step& op) const {
  std::vector<ThreadId> threads;
  if (op.kind == OpKind::Join) {
    threads.push_back(ThreadId(static_cast<uint16_t>(op.second)));
  } else if (is_acquire(op.kind) && !waits_for_signal(op.thread)) {
    if (auto at = owners_.find(op.object); at != owners_.end())
      for (const auto& [owner, depth] : at->second) threads.push_back(owner);
  }
  return threads;
}

std::vector<Wait> waits_at_end(TraceView trace) {
  LockOwners owners;
  for (const Step& step : trace.steps()) owners.apply(step);
  std::vector<Wait> waits;
  const auto pending = trace.pending();
  for (size_t i = 0; i < pending.size(); ++i)
    if (pending[i].flags & Step::kBlocked) waits.push_back({pending[i].thread, i, owners.blockers(pending[i])});
  return waits;
}

std::vector<Wait> find_cycle(const std::vector<Wait>& waits) {
  auto find = [&](ThreadId t) {
    return std::find_if(waits.begin(), waits.end(), [&](const Wait& w) { return w.thread == t; });
  };
  // Shared locks have several owners; following the first blocked one is enough: none of them can go on.
  for (const Wait& start : waits) {
    std::vector<Wait> path;
    auto at = find(start.thread);
    while (at != waits.end()) {
      auto again = std::find_if(path.begin(), path.end(), [&](const Wait& w) { return w.thread == at->thread; });
      if (again != path.end()) return {again, path.end()};
      path.push_back(*at);
      auto next = waits.end();
      for (ThreadId blocker : at->blockers)
        if (next == waits.end()) next = find(blocker);
      at = next;
    }
  }
  return {};
}

std::string waited_for(const Step& op, bool for_signal, const TraceNames& names) {
  switch (op.kind) {
    case OpKind::Join: return names.thread(ThreadId(static_cast<uint16_t>(op.second))) + " to end";
    case OpKind::Reacquire:
      if (for_signal) return "a signal on " + names.object(op.second);
      return names.object(op.object);
    case OpKind::FutexBlocked: return "a notification of " + names.object(op.object);
    case OpKind::BarrierLeave: return "others at " + names.object(op.object);
    case OpKind::SemWait: return names.object(op.object) + " to be released";
    default: return names.object(op.object);
  }
}

std::string describe_waits(const TraceNames& names) {
  const TraceView trace = names.trace();
  LockOwners owners;
  for (const Step& step : trace.steps()) owners.apply(step);
  std::vector<Wait> waits = waits_at_end(trace);
  if (std::vector<Wait> cycle = find_cycle(waits); !cycle.empty()) waits = std::move(cycle);
  std::string text;
  for (const Wait& wait : waits) {
    const Step& op = trace.pending()[wait.pending];
    if (!text.empty()) text += ", ";
    text += names.thread(wait.thread) + " waits for " + waited_for(op, owners.waits_for_signal(wait.thread), names);
    if (op.kind == OpKind::Join || wait.blockers.empty()) continue;
    text += wait.blockers.front() == wait.thread ? ", which it holds itself" : " held by " + names.thread(wait.blockers.front());
  }
  return text;
}

}  // namespace lockstep
