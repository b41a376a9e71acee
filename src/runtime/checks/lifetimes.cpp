// Checks uses of locks and similar objects: misuses, and uses after their end.
#include "runtime/base/runtime.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/checks/frames.hpp"
#include "runtime/detect/call_tree.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/process/backtrace.hpp"
#include "runtime/process/facts.hpp"
#include "runtime/process/imports.hpp"
#include "runtime/sched/inspection.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {
namespace {

// Function calls are not instrumented, so only unwinding gives the caller.
uint64_t calling_place() {
  if (scheduler().describes()) return unwind_calls();
  uint64_t caller[1];
  return backtrace(caller, 1) ? caller[0] : 0;
}

}  // namespace

void leave_frames(Thread& me, uintptr_t stack_pointer) {
  if (!race_detector.active() || imports.contexts || stack_owner(stack_pointer) != &me) return;
  const uintptr_t low = me.shared_low;
  me.shared_low = stack_pointer;
  race_detector.left(me.id, low, stack_pointer);
}

void use_gone_frame(Thread& owner, uintptr_t address, unsigned size, uint8_t flags, uint64_t where) {
  race_detector.used_dead_stack(self().id, address, size, flags, where, owner.id);
  // The memory now belongs to frames of the runtime: from here on the program would not behave as it does without
  // Lockstep.
  if (owner.life != Life::Done && (flags & RaceAccess::kWrite))
    scheduler().end(Outcome::Crash, 0, "a stack in use is overwritten");
}

void use_object_closely(const void* object, bool remember) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(object);
  RaceDetector& races = race_detector;
  remember = remember && races.active();
  if (LIKELY(in_arena(object))) {
    if (!remember && UNLIKELY(races.is_freed(address)))
      races.used_freed(self().id, address, scheduler().detail ? calling_place() : 0);
  } else {
    Thread* owner = may_be_stack(address) ? stack_owner(address) : nullptr;
    if (!owner) return;
    if (owner != &self()) {
      if (frame_is_gone(*owner, address))
        return use_gone_frame(*owner, address, 1, RaceAccess::kAtomic | RaceAccess::kSync, calling_place());
      if (remember && address < owner->shared_low) owner->shared_low = address;
    }
  }
  if (remember) races.used(self().id, address, scheduler().detail ? calling_place() : 0);
  if (UNLIKELY(scheduler().detail)) stop_at_new_races();
}

void misuse(Misuse what, const void* object) {
  scheduler().reasons.add(Reason::LockMisuse);
  RaceAccess access{};
  access.pc = calling_place();
  access.address = access.begin = reinterpret_cast<uint64_t>(object);
  access.step = scheduler().log_size;
  access.size = 1;
  access.thread = self().id;
  access.misuse = what;
  race_detector.add_misuse(access);
}

void end_misused(Misuse what, const void* object) {
  misuse(what, object);
  notice(FactKind::LockMisuse, reinterpret_cast<const void*>(call_tree.pc(race_detector.last_misuse().pc)));
  scheduler().end(Outcome::LockMisuse, 0, text_of(what));
}

bool anyone_waits_in(const void* memory, size_t size) {
  const Scheduler& s = scheduler();
  bool waits = false;
  s.live.for_each(s.words(), [&](ThreadId t) {
    const Thread& other = runtime.threads[index_of(t)];
    if (&other == &self() || s.enabled.contains(t) || !other.parked) return;
    const OpKind kind = other.pending.kind;
    const bool in_queue = (kind == OpKind::Reacquire || kind == OpKind::BarrierLeave) && !other.woken;
    const uintptr_t object =
        in_queue ? reinterpret_cast<uintptr_t>(other.queue) : static_cast<uintptr_t>(other.pending.object);
    waits |= (in_queue || kind == OpKind::SemWait) && object - reinterpret_cast<uintptr_t>(memory) < size;
  });
  return waits;
}

}  // namespace lockstep::rt
