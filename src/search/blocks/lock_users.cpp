// Counts the threads that use each lock.
#include "search/blocks/lock_users.hpp"

namespace lockstep {
namespace {

// Every operation on a lock counts as a use, also destroying, trying and testing it.
bool concerns_locks(OpKind kind) {
  const Primitive primitive = traits(kind).primitive;
  return primitive == Primitive::Mutex || primitive == Primitive::RwLock || is_lock(kind) || kind == OpKind::Destroy ||
         kind == OpKind::Timeout;
}

bool is_exit(OpKind kind) {
  return kind == OpKind::Unlock || kind == OpKind::ReadUnlock || kind == OpKind::WriteUnlock;
}

}  // namespace

bool LockUsers::note(const Step& step) {
  if (step.is_note() || step.is_choice() || !concerns_locks(step.kind)) return true;
  bool as_before = true;
  for (const Access& a : accesses(step.operation())) {
    Use& use = uses_[a.object];
    if (use.thread == kNoThread) use.thread = step.thread;
    if (use.shared || use.thread == step.thread) continue;
    use.shared = true;
    as_before &= !use.relied_on;
  }
  return as_before;
}

bool LockUsers::learn(TraceView trace) {
  bool as_before = true;
  for (const Step& step : trace.steps()) as_before &= note(step);
  for (const Step& step : trace.pending()) as_before &= note(step);
  return as_before;
}

bool LockUsers::leaves_private_lock(const Step& step) {
  if (step.is_note() || !is_exit(step.kind)) return false;
  const auto use = uses_.find(step.object);
  if (use == uses_.end() || use->second.shared) return false;
  use->second.relied_on = true;
  return true;
}

void LockUsers::forget_reliance() {
  for (auto& [object, use] : uses_) use.relied_on = false;
}

void LockUsers::save(StateWriter& out) const {
  out.put<uint64_t>(uses_.size());
  for (const auto& [object, use] : uses_) {
    out.put(object);
    out.put(use.thread);
    out.put(use.shared);
    out.put(use.relied_on);
  }
}

void LockUsers::load(StateReader& in) {
  uses_.clear();
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
    const auto object = in.get<ObjectId>();
    Use& use = uses_[object];
    use.thread = in.get<ThreadId>();
    use.shared = in.get<bool>();
    use.relied_on = in.get<bool>();
  }
}

}  // namespace lockstep
