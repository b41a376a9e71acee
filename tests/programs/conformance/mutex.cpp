#include <mutex>

#include "conformance.hpp"

static pthread_mutex_t make(int type, int robust = PTHREAD_MUTEX_STALLED, int protocol = PTHREAD_PRIO_NONE) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, type);
  pthread_mutexattr_setrobust(&a, robust);
  pthread_mutexattr_setprotocol(&a, protocol);
  pthread_mutex_t m;
  assert(pthread_mutex_init(&m, &a) == 0);
  return m;
}

CASE(mutex_counter) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  int n = 0;
  auto work = [&] {
    for (int i = 0; i < 2; ++i) {
      pthread_mutex_lock(&m);
      ++n;
      pthread_mutex_unlock(&m);
    }
  };
  together(work, work);
  SHOW(n);
  ERROR(pthread_mutex_destroy(&m));
}

CASE(mutex_trylock) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  ERROR(pthread_mutex_trylock(&m));
  together([&] { ERROR(pthread_mutex_trylock(&m)); });
  pthread_mutex_unlock(&m);
  together([&] {
    ERROR(pthread_mutex_trylock(&m));
    pthread_mutex_unlock(&m);
  });
}

CASE(mutex_timed) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m);
  together([&] {
    timespec t = past(), bad{0, -1};
    ERROR(pthread_mutex_timedlock(&m, &t));
    ERROR(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t));
    ERROR(pthread_mutex_timedlock(&m, &bad));
  });
  pthread_mutex_unlock(&m);
  timespec t = in(CLOCK_REALTIME, 3600'000);
  ERROR(pthread_mutex_timedlock(&m, &t));
  pthread_mutex_unlock(&m);
  t = in(CLOCK_MONOTONIC, 3600'000);
  ERROR(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t));
  pthread_mutex_unlock(&m);
}

CASE(mutex_recursive) {
  pthread_mutex_t m = make(PTHREAD_MUTEX_RECURSIVE);
  ERROR(pthread_mutex_lock(&m));
  ERROR(pthread_mutex_lock(&m));
  ERROR(pthread_mutex_trylock(&m));
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
  together([&] {
    ERROR(pthread_mutex_trylock(&m));
    ERROR(pthread_mutex_unlock(&m));
  });
  ERROR(pthread_mutex_unlock(&m));
  ERROR(pthread_mutex_unlock(&m));
}

CASE(mutex_errorcheck) {
  pthread_mutex_t m = make(PTHREAD_MUTEX_ERRORCHECK);
  ERROR(pthread_mutex_unlock(&m));
  ERROR(pthread_mutex_lock(&m));
  ERROR(pthread_mutex_lock(&m));
  ERROR(pthread_mutex_trylock(&m));
  together([&] { ERROR(pthread_mutex_unlock(&m)); });
  ERROR(pthread_mutex_unlock(&m));
  ERROR(pthread_mutex_destroy(&m));
}

CASE(mutex_initialised_again) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_mutex_destroy(&m);
  pthread_mutex_init(&m, nullptr);
  together([&] {
    ERROR(pthread_mutex_lock(&m));
    pthread_mutex_unlock(&m);
  });
  pthread_mutex_destroy(&m);
}

CASE(mutex_robust_recovered) {
  static pthread_mutex_t m;
  m = make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  ERROR(pthread_mutex_consistent(&m));
  together([] { pthread_mutex_lock(&m); });
  ERROR(pthread_mutex_lock(&m));
  ERROR(pthread_mutex_consistent(&m));
  ERROR(pthread_mutex_consistent(&m));
  ERROR(pthread_mutex_unlock(&m));
  ERROR(pthread_mutex_lock(&m));
  ERROR(pthread_mutex_unlock(&m));
  ERROR(pthread_mutex_unlock(&m));
  ERROR(pthread_mutex_destroy(&m));
}

CASE(mutex_robust_lost) {
  static pthread_mutex_t m;
  m = make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  together([] { pthread_mutex_lock(&m); });
  ERROR(pthread_mutex_trylock(&m));
  ERROR(pthread_mutex_unlock(&m));
  ERROR(pthread_mutex_lock(&m));
  together([] { ERROR(pthread_mutex_lock(&m)); });
  ERROR(pthread_mutex_trylock(&m));  // last: libc's leaves the lock taken here
}

CASE(mutex_robust_waiter) {
  static pthread_mutex_t m;
  m = make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  static int died;
  died = 0;
  auto work = [] {
    if (pthread_mutex_lock(&m) == EOWNERDEAD) {
      ++died;
      pthread_mutex_consistent(&m);
    }
  };
  together(work, work, work);
  work();
  SHOW(died);
}

CASE(mutex_protocols) {
  pthread_mutex_t inherit = make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
  int n = 0;
  auto work = [&] {
    pthread_mutex_lock(&inherit);
    ++n;
    pthread_mutex_unlock(&inherit);
  };
  together(work, work);
  SHOW(n);
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  int old = 0;
  ERROR(pthread_mutex_setprioceiling(&m, 3, &old));
}

CASE(mutex_std) {
  std::recursive_timed_mutex m;
  int n = 0;
  auto work = [&] {
    std::lock_guard outer(m);
    if (m.try_lock_for(std::chrono::seconds(1))) {
      ++n;
      m.unlock();
    }
  };
  together(work, work);
  std::mutex a, b;
  together(
      [&] {
        std::scoped_lock both(a, b);
        ++n;
      },
      [&] {
        std::scoped_lock both(b, a);
        ++n;
      });
  SHOW(n);
}

CASE(repeat_mutex_ceiling) {
  pthread_mutex_t m = make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_PROTECT);
  int old = -1;
  together([&] { ERROR(pthread_mutex_setprioceiling(&m, 3, &old)); });
  ERROR(pthread_mutex_setprioceiling(&m, 4, &old));
  SHOW(old);
}
