#include "model/operation.hpp"

#include <iterator>

namespace lockstep {
namespace {

// How an operation accesses its object. Conditional: writes when it succeeds, reads when it fails.
enum class Mode : uint8_t { None, Read, Write, Conditional };

struct Row {
  const char* name;
  Mode object;
  bool acquire = false;
  bool release = false;
};

constexpr Row kRows[] = {
    {"thread-start", Mode::None},
    {"create", Mode::Write},
    {"thread-exit", Mode::Write},
    {"join", Mode::Read},
    {"process-exit", Mode::None},  // handled by dependent(): conflicts with every other thread
    {"load", Mode::Read},
    {"store", Mode::Write},
    {"rmw", Mode::Write},
    {"cas", Mode::Conditional},
    {"fence", Mode::None},
    {"lock", Mode::Write, true},
    {"try-lock", Mode::Conditional},
    {"unlock", Mode::Write, false, true},
    {"cond-wait", Mode::Write, false, true},
    {"reacquire", Mode::Write, true},
    {"cond-signal", Mode::Write, false, true},
    {"cond-broadcast", Mode::Write, false, true},
    {"read-lock", Mode::Read, true},
    {"write-lock", Mode::Write, true},
    {"try-read-lock", Mode::Read},
    // A failed try-write-lock depends on the readers' locks and unlocks, which are reads: it must be a write.
    {"try-write-lock", Mode::Write},
    {"read-unlock", Mode::Read, false, true},
    {"write-unlock", Mode::Write, false, true},
    {"sem-wait", Mode::Write, true},
    {"sem-try-wait", Mode::Conditional},
    {"sem-post", Mode::Write, false, true},
    {"barrier-arrive", Mode::Write, false, true},
    {"barrier-leave", Mode::Read, true},
    {"once-enter", Mode::Conditional, true},
    {"once-exit", Mode::Write, false, true},
    // Whether a futex wait sleeps or returns is decided by the value and by the order against wakes.
    {"futex-wait", Mode::Write},
    {"futex-blocked", Mode::Read, true},
    {"futex-wake", Mode::Write, false, true},
    {"yield", Mode::None},
    {"sleep", Mode::None},
    {"choose", Mode::None},
    {"read", Mode::Read},
    {"write", Mode::Write},
    {"timeout", Mode::Conditional},
    {"cancel", Mode::Write, false, true},
    {"test-cancel", Mode::Read},
    {"signal", Mode::Write, false, true},
    {"io", Mode::Write, true, true},
    {"timer", Mode::Write, true, true},
    {"destroy", Mode::Write},
    {"exit-handler", Mode::Write},
    {"atomic-section", Mode::None},
    {"state", Mode::Conditional},
};
static_assert(std::size(kRows) == static_cast<size_t>(OpKind::kCount), "one row per operation kind");

const Row& row(OpKind kind) { return kRows[static_cast<size_t>(kind)]; }

}  // namespace

const char* name_of(OpKind kind) { return kind < OpKind::kCount ? row(kind).name : "?"; }
bool is_acquire(OpKind kind) { return row(kind).acquire; }
bool is_release(OpKind kind) { return row(kind).release; }

const char* name_of(StateKind kind) {
  static const char* const names[] = {
      "the file system", "descriptors",     "the environment", "thread-specific keys",
      "the locale",      "resource limits", "signal handlers", "static buffers of the C library"};
  static_assert(std::size(names) == static_cast<size_t>(StateKind::kCount), "one name per kind");
  return kind < StateKind::kCount ? names[static_cast<size_t>(kind)] : "?";
}

AccessList accesses(const Operation& op) {
  AccessList list;
  if (op.timed_out && (op.kind == OpKind::Lock || op.kind == OpKind::ReadLock || op.kind == OpKind::SemWait)) {
    list.add(op.object, false);  // found it taken: what a failed try-lock sees
    if (op.kind == OpKind::SemWait) list.add(wake_token(op.thread), false);
    return list;
  }
  switch (row(op.kind).object) {
    case Mode::None: break;
    case Mode::Read: list.add(op.object, false); break;
    case Mode::Write: list.add(op.object, true); break;
    case Mode::Conditional: list.add(op.object, op.writes); break;
  }
  // The tokens carry the edge from a signal to whom it woke even if the signaller holds no mutex.
  switch (op.kind) {
    case OpKind::CondWait: list.add(op.second.mutex(), true); break;
    case OpKind::CondSignal:
      if (op.second.woken() != kNoThread) list.add(wake_token(op.second.woken()), true);
      break;
    case OpKind::CondBroadcast: list.add(broadcast_token(op.object), true); break;
    case OpKind::Reacquire:
      list.add(wake_token(op.thread), false);
      // Timed out, it left the queue by itself: a later signal finds one waiter less.
      if (op.timed_out)
        list.add(op.second.condition(), true);
      else if (!op.second.none())
        list.add(broadcast_token(op.second.condition()), false);
      break;
    case OpKind::SemWait:  // a cancellation or a signal may end it before it gets anything
    case OpKind::FutexBlocked: list.add(wake_token(op.thread), false); break;
    case OpKind::FutexWake:  // a requeue moves waiters to a second futex
    case OpKind::Cancel:     // takes its target out of the queue of a condition variable
      if (!op.second.none()) list.add(op.second.other_queue(), true);
      break;
    case OpKind::PlainRead:
    case OpKind::PlainWrite:
      if (!op.second.none()) list.item[0].object = op.second.alias();
      break;
    case OpKind::Signal:  // whether its receiver still waits for this
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
