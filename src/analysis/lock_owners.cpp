// Updates the holders of locks and the waiters of conditions, step by step.
#include "analysis/lock_owners.hpp"

namespace lockstep {

void LockOwners::apply(const Step& s) {
  if (acquires(s.kind, s.flags)) take(s.object, s.thread);
  if (has(s.kind, OpTraits::kGives)) give(held_object(s), s.thread);
  switch (s.kind) {
    case OpKind::CondWait: waiting_[s.thread] = s.object; break;
    case OpKind::Reacquire: waiting_.erase(s.thread); break;
    case OpKind::CondSignal: waiting_.erase(s.second.woken()); break;
    case OpKind::CondBroadcast: std::erase_if(waiting_, [&](const auto& w) { return w.second == s.object; }); break;
    default: break;
  }
}

void LockOwners::give(ObjectId object, ThreadId t) {
  const auto place = held_.find(object);
  if (place == held_.end()) return;
  const auto holder = place->second.find(t);
  if (holder != place->second.end() && --holder->second == 0) place->second.erase(holder);
  if (place->second.empty()) held_.erase(place);
}

bool LockOwners::anyone_waits_for(ObjectId condition) const {
  for (const auto& [thread, object] : waiting_)
    if (object == condition) return true;
  return false;
}

std::vector<ThreadId> LockOwners::holders(ObjectId object) const {
  std::vector<ThreadId> threads;
  if (const auto place = held_.find(object); place != held_.end())
    for (const auto& [thread, depth] : place->second) threads.push_back(thread);
  return threads;
}

std::vector<ObjectId> LockOwners::held_by(ThreadId t) const {
  std::vector<ObjectId> objects;
  for (const auto& [object, threads] : held_)
    if (threads.contains(t)) objects.push_back(object);
  return objects;
}

}  // namespace lockstep
