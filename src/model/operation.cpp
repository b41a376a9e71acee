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
};
static_assert(std::size(kRows) == static_cast<size_t>(OpKind::kCount), "one row per operation kind");

const Row& row(OpKind kind) { return kRows[static_cast<size_t>(kind)]; }

}  // namespace

const char* name_of(OpKind kind) { return kind < OpKind::kCount ? row(kind).name : "?"; }
bool is_acquire(OpKind kind) { return row(kind).acquire; }
bool is_release(OpKind kind) { return row(kind).release; }

AccessList accesses(const Operation& op) {
  AccessList list;
  switch (row(op.kind).object) {
    case Mode::None: break;
    case Mode::Read: list.add(op.object, false); break;
    case Mode::Write: list.add(op.object, true); break;
    case Mode::Conditional: list.add(op.object, op.writes); break;
  }
  if (op.kind == OpKind::CondWait) list.add(op.second, true);
  if (op.kind == OpKind::Reacquire || op.kind == OpKind::FutexBlocked) list.add(wake_token(op.thread), false);
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

}  // namespace lockstep
