#include "runtime/sched/lookahead.hpp"

#include "runtime/base/system.hpp"
#include "runtime/sync/mutex.hpp"
#include "runtime/sync/once.hpp"
#include "runtime/sync/semaphore.hpp"

namespace lockstep::rt {

bool would_write(const Step& pending) {
  if (!(pending.flags & Step::kConditional)) return pending.flags & Step::kWrite;
  void* object = reinterpret_cast<void*>(pending.object);
  switch (pending.kind) {
    case OpKind::Cas: {
      if (pending.bytes() > 8) return true;
      uint64_t now = 0;
      copy_bytes(&now, object, pending.bytes());
      return now == pending.second.expected();
    }
    case OpKind::TryLock: return *static_cast<const uint32_t*>(object) == 0;  // mutex and spin lock alike
    case OpKind::SemTryWait: return static_cast<const Semaphore*>(object)->can_take();
    default: return true;
  }
}

Step next_step(const Thread& thread) {
  if (LIKELY(!thread.signalled)) return thread.pending;
  Step step{};
  step.object = wake_token(thread.id);
  step.thread = thread.id;
  step.kind = OpKind::Signal;
  step.flags = Step::kWrite;
  return step;
}

}  // namespace lockstep::rt
