// Replacement of a libc++ header for instrumented code: it tests once and then waits. libc++ polls before it waits: 64
// times, then for 64 µs by the clock. Each round would be a scheduling point, and no round matters: the operations that
// end the polling end the wait as well.
#pragma once
#pragma GCC system_header
#define __libcpp_thread_poll_with_backoff __lockstep_polling_of_the_library
#include_next <__thread/poll_with_backoff.h>
#undef __libcpp_thread_poll_with_backoff

#ifdef _LIBCPP_BEGIN_NAMESPACE_STD
_LIBCPP_BEGIN_NAMESPACE_STD

// `test` returns whether it succeeded. `wait` waits or sleeps as the library's function does after `elapsed`. `most`:
// the longest time; 0: no limit.
template <class Test, class Wait>
_LIBCPP_HIDE_FROM_ABI bool __libcpp_thread_poll_with_backoff(Test&& test, Wait&& wait, chrono::nanoseconds most = {}) {
  constexpr chrono::nanoseconds enough = chrono::microseconds(100);
  const bool limited = most != chrono::nanoseconds::zero();
  const auto start = limited ? chrono::high_resolution_clock::now() : chrono::high_resolution_clock::time_point();
  for (;;) {
    if (test()) return true;
    chrono::nanoseconds elapsed = enough;
    if (limited) {
      elapsed = chrono::high_resolution_clock::now() - start;
      if (most < elapsed) return false;
      if (elapsed < enough) elapsed = enough;
    }
    if (wait(elapsed)) return false;
  }
}

_LIBCPP_END_NAMESPACE_STD
#endif
