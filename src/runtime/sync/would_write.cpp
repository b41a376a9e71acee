// Predicts whether a conditional operation would write.
#include "runtime/sync/would_write.hpp"

#include "runtime/base/atomic_memory.hpp"
#include "runtime/sync/semaphore.hpp"

namespace lockstep::rt {

bool would_write(const Step& pending) {
  if (!(pending.flags & Step::kConditional)) return pending.flags & Step::kWrite;
  void* object = reinterpret_cast<void*>(pending.object);
  switch (pending.kind) {
    case OpKind::Cas: {
      if (pending.bytes() > 8) return true;
      const uint64_t expected = pending.second.expected();
      return atomic_memory::holds(object, &expected, pending.bytes());
    }
    case OpKind::TryLock: return *static_cast<const uint32_t*>(object) == 0;  // mutexes and spin locks alike
    case OpKind::SemTryWait: return static_cast<const Semaphore*>(object)->can_take();
    default: return true;
  }
}

}  // namespace lockstep::rt
