// What an operation reads and writes, and which operations depend on each other.
#include "model/operation.hpp"

#include <iterator>

namespace lockstep {
const char* name_of(Primitive primitive) {
  static const char* const names[] = {nullptr,     "atomic",  "mutex",     "condvar", "rwlock",
                                      "semaphore", "barrier", "once flag", "atomic",  "variable"};
  static_assert(std::size(names) == static_cast<size_t>(Primitive::kCount), "one name per primitive");
  return names[static_cast<size_t>(primitive)];
}

const char* name_of(StateKind kind) {
  static const char* const names[] = {
      "the file system", "descriptors",     "the environment", "thread-specific keys",
      "the locale",      "resource limits", "signal handlers", "static buffers of the C library",
      "the output"};
  static_assert(std::size(names) == static_cast<size_t>(StateKind::kCount), "one name per kind");
  return kind < StateKind::kCount ? names[static_cast<size_t>(kind)] : "?";
}

AccessList accesses(const Operation& op) {
  AccessList list;
  if (op.timed_out && (op.kind == OpKind::Lock || op.kind == OpKind::ReadLock || op.kind == OpKind::SemWait)) {
    list.add(op.object, false);  // saw the object taken, like a failed try-lock
    if (op.kind == OpKind::SemWait) list.add(wake_token(op.thread), false);
    return list;
  }
  switch (traits(op.kind).access) {
    case AccessMode::Nothing: break;
    case AccessMode::Read: list.add(op.object, false); break;
    case AccessMode::Write: list.add(op.object, true); break;
    case AccessMode::Conditional: list.add(op.object, op.writes); break;
  }
  // The tokens carry the edge from a signal to the thread it woke, even if the signaller holds no mutex.
  switch (op.kind) {
    case OpKind::CondWait: list.add(op.second.mutex(), true); break;
    case OpKind::CondSignal:
      if (op.second.woken() != kNoThread) list.add(wake_token(op.second.woken()), true);
      break;
    case OpKind::CondBroadcast: list.add(broadcast_token(op.object), true); break;
    case OpKind::Reacquire:
      list.add(wake_token(op.thread), false);
      // After a timeout the thread left the queue by itself: a later signal finds one waiter less.
      if (op.timed_out)
        list.add(op.second.condition(), true);
      else if (!op.second.none())
        list.add(broadcast_token(op.second.condition()), false);
      break;
    case OpKind::SemWait:  // a cancellation or a signal may end the wait before it gets a unit
    case OpKind::FutexBlocked: list.add(wake_token(op.thread), false); break;
    case OpKind::FutexWake:  // a requeue moves waiters to a second futex
    case OpKind::Cancel:     // removes its target from the queue of a condition variable
      if (!op.second.none()) list.add(op.second.other_queue(), true);
      break;
    case OpKind::PlainRead:
    case OpKind::PlainWrite:
      if (!op.second.none()) list.item[0].object = op.second.alias();
      break;
    case OpKind::Signal:  // reads whether its receiver still waits for `second`
    case OpKind::TestCancel:
      if (!op.second.none()) list.add(op.second.waited_for(), false);
      break;
    case OpKind::State:
      if (!op.second.none()) list.add(op.second.state(), op.second.writes_state());
      if (is_position(op.second.state())) list.add(state_object(StateKind::Descriptors), false);
      break;
    default: break;
  }
  return list;
}

bool dependent(const Operation& a, const Operation& b) {
  if (a.thread == b.thread) return true;
  if (a.kind == OpKind::ProcessExit || b.kind == OpKind::ProcessExit) return true;
  for (const Access& x : accesses(a))
    for (const Access& y : accesses(b))
      if (x.object == y.object && (x.write || y.write)) return true;
  return false;
}

bool concerns(const Operation& op, ObjectId object) {
  for (const Access& x : accesses(op))
    if (x.object == object) return true;
  return false;
}

}  // namespace lockstep
