#include "analysis/holdings.hpp"

namespace lockstep {

void Holdings::apply(const Step& s) {
  const bool got_it = !(s.flags & Step::kTimedOut);
  switch (s.kind) {
    case OpKind::Lock:
    case OpKind::ReadLock:
    case OpKind::WriteLock:
      if (got_it) take(s.object, s.thread);
      break;
    case OpKind::TryLock:
    case OpKind::TryReadLock:
    case OpKind::TryWriteLock:
    case OpKind::OnceEnter:
      if (s.flags & Step::kWrite) take(s.object, s.thread);
      break;
    case OpKind::Unlock:
    case OpKind::ReadUnlock:
    case OpKind::WriteUnlock:
    case OpKind::OnceExit: give(s.object, s.thread); break;
    case OpKind::CondWait:
      give(s.second.mutex(), s.thread);
      waiting_[s.thread] = s.object;
      break;
    case OpKind::Reacquire:
      take(s.object, s.thread);
      waiting_.erase(s.thread);
      break;
    case OpKind::CondSignal: waiting_.erase(s.second.woken()); break;
    case OpKind::CondBroadcast: std::erase_if(waiting_, [&](const auto& w) { return w.second == s.object; }); break;
    default: break;
  }
}

void Holdings::give(ObjectId object, ThreadId t) {
  const auto place = held_.find(object);
  if (place == held_.end()) return;
  const auto holder = place->second.find(t);
  if (holder != place->second.end() && --holder->second == 0) place->second.erase(holder);
  if (place->second.empty()) held_.erase(place);
}

bool Holdings::anyone_waits_for(ObjectId condition) const {
  for (const auto& [thread, object] : waiting_)
    if (object == condition) return true;
  return false;
}

std::vector<ThreadId> Holdings::holders(ObjectId object) const {
  std::vector<ThreadId> threads;
  if (const auto place = held_.find(object); place != held_.end())
    for (const auto& [thread, depth] : place->second) threads.push_back(thread);
  return threads;
}

}  // namespace lockstep
