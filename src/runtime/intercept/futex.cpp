// syscall(SYS_futex, ...): the way in which std::atomic::wait, latch, counting_semaphore, barrier and future block.
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/atomic_memory.hpp"
#include "runtime/base/errors.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/timespec.hpp"
#include "runtime/intercept/process_state.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/sched/refuse_call.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/spin.hpp"
#include "runtime/sched/virtual_clock.hpp"
#include "runtime/threads/interrupt.hpp"
#include "runtime/threads/virtual_id.hpp"

namespace lockstep::rt {
namespace {

uint64_t deadline_of(int operation, const timespec& t, const Thread& me) {
  const bool absolute = (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
  if (!absolute) return me.clock + nanoseconds(t);
  return VirtualClock::to_monotonic(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, t);
}

long wait(uint32_t* address, int operation, uint32_t expected, const timespec* timeout, uint32_t mask) {
  Scheduler& s = scheduler();
  Thread& me = self();
  s.reach(OpKind::FutexWait, address, Step::kWrite);
  me.yields_forgiven = 0;  // it blocks, or another thread has changed the value
  // If atomics are not steps, the change of the value that decides about this wait is not seen.
  if (!runtime.instrumented || runtime.points == Points::Sync) s.reasons.add(Reason::HiddenSync);
  if (atomic_memory::load(address) != expected) return fail_with(EAGAIN);
  if (waits_for_what_it_has_seen_change(address, expected)) return fail_with(EAGAIN);
  if (timeout) me.deadline = deadline_of(operation, *timeout, me);
  me.queue = address;
  me.futex_mask = mask;
  me.woken = me.timed_out = false;
  s.wait_to_be_advanced(OpKind::FutexBlocked, address, timeout ? Step::kTimed : 0);
  me.queue = nullptr;
  if (interrupted_wait(me)) return me.restarts ? wait(address, operation, expected, timeout, mask) : fail_with(EINTR);
  if (me.timed_out) return fail_with(ETIMEDOUT);
  s.note(OpKind::FutexBlocked, ObjectId(reinterpret_cast<uint64_t>(address)));  // ordered after the wake
  return 0;
}

// Wakes up to `most` waiters as part of the current step. They run to their next operation in finish_wakes(), after the
// rest of this step.
struct Woken {
  ThreadId thread[kMaxThreads];
  unsigned count = 0;
};

void wake_some(uint32_t* address, int most, uint32_t mask, Woken& all) {
  Scheduler& s = scheduler();
  ThreadId waiters[kMaxThreads];
  unsigned count = 0;
  s.live.for_each(s.words(), [&](ThreadId t) {
    const Thread& other = s.thread(t);
    if (other.queue == address && !other.woken && (other.futex_mask & mask)) waiters[count++] = t;
  });
  unsigned woken = 0;
  // The kernel decides who is woken: chooses one waiter after the other, so all orders are possible.
  for (; woken < count && static_cast<int>(woken) < most; ++woken) {
    const unsigned left = count - woken;
    const bool everybody = most >= static_cast<int>(count);
    const unsigned k = everybody ? 0 : s.pick(left);
    const ThreadId chosen = waiters[woken + k];
    for (unsigned i = woken + k; i > woken; --i) waiters[i] = waiters[i - 1];
    waiters[woken] = chosen;
  }
  for (unsigned i = 0; i < woken; ++i) {
    s.thread(waiters[i]).woken = true;
    all.thread[all.count++] = waiters[i];
  }
}

long finish_wakes(const Woken& all) {
  for (unsigned i = 0; i < all.count; ++i) scheduler().advance(scheduler().thread(all.thread[i]));
  return all.count;
}

long wake(uint32_t* address, int most, uint32_t mask) {
  scheduler().reach(OpKind::FutexWake, address, Step::kWrite);
  Woken all;
  wake_some(address, most, mask, all);
  return finish_wakes(all);
}

long requeue(uint32_t* from, int wakes, int moves, uint32_t* to, const uint32_t* expected) {
  Scheduler& s = scheduler();
  s.reach(OpKind::FutexWake, from, Step::kWrite, true, Companion::other_queue(object_at(to)));
  if (expected && atomic_memory::load(from) != *expected) return fail_with(EAGAIN);
  Woken all;
  wake_some(from, wakes, ~0u, all);
  long moved = 0;
  s.live.for_each(s.words(), [&](ThreadId t) {
    Thread& other = s.thread(t);
    if (other.queue != from || other.woken || moved == moves) return;
    other.queue = to;
    other.pending.object = ObjectId(reinterpret_cast<uint64_t>(to));
    ++moved;
  });
  return finish_wakes(all) + moved;
}

// FUTEX_WAKE_OP: changes the second word, wakes waiters of the first word, and waiters of the second if its old value
// passes the comparison.
long wake_op(uint32_t* first, int wakes, int second_wakes, uint32_t* second, uint32_t code) {
  scheduler().reach(OpKind::FutexWake, first, Step::kWrite, true, Companion::other_queue(object_at(second)));
  auto extend = [](uint32_t twelve_bits) { return static_cast<int32_t>(twelve_bits << 20) >> 20; };
  int32_t operand = extend(code >> 12 & 0xfff);
  const int32_t compared = extend(code & 0xfff), old = static_cast<int32_t>(atomic_memory::load(second));
  if (code >> 28 & FUTEX_OP_OPARG_SHIFT) operand = 1 << (operand & 31);
  int32_t fresh;
  switch (code >> 28 & 7) {
    case FUTEX_OP_SET: fresh = operand; break;
    case FUTEX_OP_ADD: fresh = static_cast<int32_t>(static_cast<uint32_t>(old) + static_cast<uint32_t>(operand)); break;
    case FUTEX_OP_OR: fresh = old | operand; break;
    case FUTEX_OP_ANDN: fresh = old & ~operand; break;
    case FUTEX_OP_XOR: fresh = old ^ operand; break;
    default: return fail_with(ENOSYS);
  }
  atomic_memory::store(second, static_cast<uint32_t>(fresh));
  bool also = false;
  switch (code >> 24 & 15) {
    case FUTEX_OP_CMP_EQ: also = old == compared; break;
    case FUTEX_OP_CMP_NE: also = old != compared; break;
    case FUTEX_OP_CMP_LT: also = old < compared; break;
    case FUTEX_OP_CMP_LE: also = old <= compared; break;
    case FUTEX_OP_CMP_GT: also = old > compared; break;
    case FUTEX_OP_CMP_GE: also = old >= compared; break;
    default: return fail_with(ENOSYS);
  }
  Woken all;
  wake_some(first, wakes, ~0u, all);
  if (also) wake_some(second, second_wakes, ~0u, all);
  return finish_wakes(all);
}

long futex(const long* a) {
  auto* address = reinterpret_cast<uint32_t*>(a[0]);
  const int operation = static_cast<int>(a[1]), count = static_cast<int>(a[2]), second_count = static_cast<int>(a[3]);
  const auto value = static_cast<uint32_t>(a[2]), third = static_cast<uint32_t>(a[5]);
  const auto* timeout = reinterpret_cast<const timespec*>(a[3]);
  auto* second = reinterpret_cast<uint32_t*>(a[4]);
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: return wait(address, operation, value, timeout, ~0u);
    case FUTEX_WAIT_BITSET: return wait(address, operation, value, timeout, third);
    case FUTEX_WAKE: return wake(address, count, ~0u);
    case FUTEX_WAKE_BITSET: return wake(address, count, third);
    case FUTEX_REQUEUE: return requeue(address, count, second_count, second, nullptr);
    case FUTEX_CMP_REQUEUE: return requeue(address, count, second_count, second, &third);
    case FUTEX_WAKE_OP: return wake_op(address, count, second_count, second, third);
    default: refuse_call("syscall(SYS_futex)", "priority-inheriting futexes are not supported");
  }
}

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& value : a) value = va_arg(list, long);
  va_end(list);
  if (controlled()) switch (number) {
      case SYS_futex: return futex(a);
      case SYS_gettid: return virtual_tid(self());
      case SYS_getpid: return kVirtualPid;
      case SYS_clock_gettime: return clock_gettime(static_cast<clockid_t>(a[0]), reinterpret_cast<timespec*>(a[1]));
      case SYS_getrandom:
        return getrandom(reinterpret_cast<void*>(a[0]), static_cast<size_t>(a[1]), static_cast<unsigned>(a[2]));
      case SYS_sched_yield: return sched_yield();
      case SYS_tgkill: return tgkill(static_cast<pid_t>(a[0]), static_cast<pid_t>(a[1]), static_cast<int>(a[2]));
      case SYS_exit_group: _exit(static_cast<int>(a[0]));
      case SYS_exit: exit_thread(nullptr);
      case SYS_clone:
      case SYS_clone3:
      case SYS_fork:
      case SYS_vfork: refuse_call("syscall()", "it creates a process or thread");
      default: break;
    }
  // An unknown call: assumes that it changes files and descriptors.
  const StateCall call(StateKind::Files, Use::Change, StateKind::Descriptors, Use::Change);
  long result = sys(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (UNLIKELY(result == -EFAULT) && controlled()) {
    // The output arguments and their sizes depend on the call: makes everything writable that may be one, and retries.
    bool touched = false;
    for (long value : a) touched |= snapshot.touch_if_tracked(reinterpret_cast<void*>(value), 1 << 16);
    if (touched) result = sys(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  const bool failed = result < 0 && result > -4096;
  call.done(failed ? -1 : 0);
  return failed ? fail_with(-result) : result;
}
