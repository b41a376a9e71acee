#include <sys/time.h>
#include <unistd.h>

#include <chrono>

#include "conformance.hpp"

static long since(const timespec& t, clockid_t clock) {
  const timespec now = in(clock, 0);
  return (now.tv_sec - t.tv_sec) * 1000 + (now.tv_nsec - t.tv_nsec) / 1000000;
}

CASE(time_sleeps) {
  const timespec before = in(CLOCK_MONOTONIC, 0);
  timespec ms{0, 1'000'000}, bad{0, -1};
  ERRNO(nanosleep(&ms, nullptr));
  ERRNO(nanosleep(&bad, nullptr));
  ERROR(clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, nullptr));
  const timespec until = in(CLOCK_MONOTONIC, 3);
  ERROR(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr));
  ERRNO(usleep(2000));
  SHOW(sleep(0));
  SHOW(since(before, CLOCK_MONOTONIC) >= 7);
}

CASE(time_sleep_is_virtual) {
  // An hour natively would be too long to compare with: only how much time passed is shown.
  const timespec before = in(CLOCK_MONOTONIC, 0);
  SHOW(sleep(1));
  SHOW(since(before, CLOCK_MONOTONIC) / 1000);
}

CASE(time_clocks_agree) {
  const time_t a = time(nullptr);
  timeval b;
  gettimeofday(&b, nullptr);
  timespec d;
  SHOW(timespec_get(&d, TIME_UTC) == TIME_UTC);
  SHOW(b.tv_sec - a >= 0 && b.tv_sec - a <= 2 && d.tv_sec - b.tv_sec <= 2);
  timespec e;
  SHOW(clock_gettime(CLOCK_REALTIME, &e) == 0 && e.tv_sec >= d.tv_sec);
  ERRNO(clock_gettime(static_cast<clockid_t>(99), &e));
  SHOW(std::chrono::steady_clock::now() <= std::chrono::steady_clock::now());
}

// The same in every execution, though not natively (see the prefix).
CASE(repeat_time) {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  SHOW(t.tv_sec);
  SHOW(t.tv_nsec);
  clock_gettime(CLOCK_MONOTONIC, &t);
  SHOW(t.tv_nsec);
  timeval v;
  gettimeofday(&v, nullptr);
  SHOW(v.tv_usec);
  SHOW(time(nullptr));
  timespec_get(&t, TIME_UTC);
  SHOW(t.tv_nsec);
}
