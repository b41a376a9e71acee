// Clocks and sleeps: virtual time. Sleeping is yielding.
#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/real.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/virtual_clock.hpp"
#include "runtime/threads/interrupt.hpp"

namespace lockstep::rt {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

uint64_t nanoseconds(const timespec& t) {
  if (t.tv_sec > 9'000'000'000) return 9'000'000'000 * kSecond;
  return static_cast<uint64_t>(t.tv_sec) * kSecond + static_cast<uint64_t>(t.tv_nsec);
}

bool valid(const timespec& t) { return t.tv_sec >= 0 && t.tv_nsec >= 0 && t.tv_nsec < static_cast<long>(kSecond); }

// False: a signal came meanwhile, and the time has not passed.
bool sleep_for(uint64_t duration) {
  cancellation_point();
  const uint32_t before = self().handled;
  const uint64_t deadline = self().clock + duration;
  scheduler().sleep_until(deadline);
  if (UNLIKELY(self().handled != before)) return false;
  virtual_clock.sleep_until(self(), deadline);
  return true;
}

int interrupted_sleep() {
  errno = EINTR;
  return -1;
}

// Those of consumed processor time, too: nobody else's time is there, but what they show must repeat.
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
  if (!controlled() || !is_virtual(clock)) {
    const long result = sys(SYS_clock_gettime, clock, word(t));
    if (result < 0) errno = static_cast<int>(-result);
    return result < 0 ? -1 : 0;
  }
  const uint64_t now = virtual_clock.read(self(), clock);
  t->tv_sec = static_cast<time_t>(now / kSecond);
  t->tv_nsec = static_cast<long>(now % kSecond);
  return 0;
}

LOCKSTEP_EXPORT int gettimeofday(timeval* t, void*) noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *t = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

LOCKSTEP_EXPORT time_t time(time_t* out) noexcept {
  timespec now;
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
  if (!valid(*duration)) {
    errno = EINVAL;
    return -1;
  }
  if (sleep_for(nanoseconds(*duration))) return 0;
  if (left) *left = *duration;
  return interrupted_sleep();
}

LOCKSTEP_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* t, timespec* left) {
  if (!controlled()) return LOCKSTEP_REAL(clock_nanosleep)(clock, flags, t, left);
  if (!valid(*t)) return EINVAL;
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
  return sleep_for(uint64_t{microseconds} * 1000) ? 0 : interrupted_sleep();
}

LOCKSTEP_EXPORT unsigned sleep(unsigned seconds) {
  if (!controlled()) return LOCKSTEP_REAL(sleep)(seconds);
  return sleep_for(seconds * kSecond) ? 0 : seconds;
}
