// Clocks and sleeps: virtual time. A sleep is a yield.
#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/errors.hpp"
#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/base/timespec.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/virtual_clock.hpp"
#include "runtime/threads/interrupt.hpp"

namespace lockstep::rt {
namespace {

// False: a signal arrived before the time had passed.
bool sleep_for(uint64_t duration) {
  cancellation_point();
  const uint32_t before = self().handled;
  const uint64_t deadline = self().clock + duration;
  scheduler().sleep_until(deadline);
  if (UNLIKELY(self().handled != before)) return false;
  virtual_clock.sleep_until(self(), deadline);
  return true;
}

// Includes clocks of consumed processor time: there is no separate virtual time for them, but they must repeat.
bool is_virtual(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
         clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE ||
         clock == CLOCK_TAI || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

}  // namespace
}  // namespace lockstep::rt

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT int clock_gettime(clockid_t clock, timespec* t) noexcept {
  if (!controlled() || !is_virtual(clock)) return syscall_result(sys(SYS_clock_gettime, clock, word(t)));
  const uint64_t now = virtual_clock.read(self(), clock);
  t->tv_sec = static_cast<time_t>(now / kSecond);
  t->tv_nsec = static_cast<long>(now % kSecond);
  return 0;
}

LOCKSTEP_EXPORT int gettimeofday(timeval* t, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *t = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

LOCKSTEP_EXPORT time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

LOCKSTEP_EXPORT int timespec_get(timespec* t, int base) noexcept {
  if (base != TIME_UTC) return 0;
  return clock_gettime(CLOCK_REALTIME, t) == 0 ? base : 0;
}

LOCKSTEP_EXPORT int nanosleep(const timespec* duration, timespec* left) {
  if (!controlled()) return LOCKSTEP_REAL(nanosleep)(duration, left);
  if (!is_valid(*duration)) return fail_with(EINVAL);
  if (sleep_for(nanoseconds(*duration))) return 0;
  if (left) *left = *duration;
  return fail_with(EINTR);
}

LOCKSTEP_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* t, timespec* left) {
  if (!controlled()) return LOCKSTEP_REAL(clock_nanosleep)(clock, flags, t, left);
  if (!is_valid(*t)) return EINVAL;
  if (!(flags & TIMER_ABSTIME)) {
    if (sleep_for(nanoseconds(*t))) return 0;
    if (left) *left = *t;
    return EINTR;
  }
  const uint64_t deadline = VirtualClock::to_monotonic(clock, *t);
  const uint64_t now = self().clock;
  return sleep_for(deadline > now ? deadline - now : 0) ? 0 : EINTR;
}

LOCKSTEP_EXPORT int usleep(useconds_t microseconds) {
  if (!controlled()) return LOCKSTEP_REAL(usleep)(microseconds);
  return sleep_for(uint64_t{microseconds} * 1000) ? 0 : fail_with(EINTR);
}

LOCKSTEP_EXPORT unsigned sleep(unsigned seconds) {
  if (!controlled()) return LOCKSTEP_REAL(sleep)(seconds);
  return sleep_for(seconds * kSecond) ? 0 : seconds;
}
