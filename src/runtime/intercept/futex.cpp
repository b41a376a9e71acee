// syscall(SYS_futex, ...): how std::atomic::wait, latch, counting_semaphore, barrier and future block.
#include <errno.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "runtime/root.hpp"

namespace lockstep::rt {
namespace {

long fail(int error) {
  errno = error;
  return -1;
}

uint64_t deadline_of(int operation, const timespec& t, const Thread& me) {
  const bool absolute = (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
  if (!absolute) return me.clock + static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
  return Clock::to_monotonic(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, t);
}

long wait(uint32_t* address, int operation, uint32_t expected, const timespec* timeout, uint32_t mask) {
  Scheduler& s = scheduler();
  Thread& me = self();
  s.reach(OpKind::FutexWait, address, Step::kWrite);
  if (*const_cast<volatile uint32_t*>(address) != expected) return fail(EAGAIN);
  if (timeout) me.deadline = deadline_of(operation, *timeout, me);
  me.queue = address;
  me.futex_mask = mask;
  me.woken = me.timed_out = false;
  s.wait_to_be_advanced(OpKind::FutexBlocked, address, timeout ? Step::kTimed : 0, nullptr);
  me.queue = nullptr;
  return me.timed_out ? fail(ETIMEDOUT) : 0;
}

long wake(uint32_t* address, int most, uint32_t mask) {
  Scheduler& s = scheduler();
  s.reach(OpKind::FutexWake, address, Step::kWrite);
  ThreadId waiters[kMaxThreads];
  unsigned count = 0;
  s.live.for_each(s.words(), [&](ThreadId t) {
    const Thread& other = s.thread(t);
    if (other.queue == address && !other.woken && (other.futex_mask & mask)) waiters[count++] = t;
  });
  unsigned woken = 0;
  // Who is woken is the kernel's choice: first of all orders, one after the other.
  for (; woken < count && static_cast<int>(woken) < most; ++woken) {
    const unsigned left = count - woken;
    const bool everybody = most >= static_cast<int>(count);
    const unsigned k = everybody ? 0 : s.pick(left);
    const ThreadId chosen = waiters[woken + k];
    for (unsigned i = woken + k; i > woken; --i) waiters[i] = waiters[i - 1];
    waiters[woken] = chosen;
  }
  for (unsigned i = 0; i < woken; ++i) s.thread(waiters[i]).woken = true;
  for (unsigned i = 0; i < woken; ++i) s.advance(s.thread(waiters[i]));
  return woken;
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
  if (number == SYS_futex && controlled()) {
    auto* address = reinterpret_cast<uint32_t*>(a[0]);
    const int operation = static_cast<int>(a[1]);
    const auto* timeout = reinterpret_cast<const timespec*>(a[3]);
    switch (operation & FUTEX_CMD_MASK) {
      case FUTEX_WAIT: return wait(address, operation, static_cast<uint32_t>(a[2]), timeout, ~0u);
      case FUTEX_WAIT_BITSET: return wait(address, operation, static_cast<uint32_t>(a[2]), timeout, static_cast<uint32_t>(a[5]));
      case FUTEX_WAKE: return wake(address, static_cast<int>(a[2]), ~0u);
      case FUTEX_WAKE_BITSET: return wake(address, static_cast<int>(a[2]), static_cast<uint32_t>(a[5]));
      default: scheduler().end(Outcome::Uncontrolled, 0, "syscall(SYS_futex) with an operation that is not supported");
    }
  }
  const long result = sys(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return result < 0 && result > -4096 ? fail(static_cast<int>(-result)) : result;
}
