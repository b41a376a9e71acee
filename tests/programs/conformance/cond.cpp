#include <condition_variable>
#include <mutex>

#include "conformance.hpp"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, woken;

static void wait_ready() {
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&c, &m);
  ++woken;
  pthread_mutex_unlock(&m);
}

CASE(cond_signal) {
  together(wait_ready, [] {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&c);
  });
  SHOW(woken);
  ERROR(pthread_cond_destroy(&c));
}

CASE(cond_broadcast) {
  together(wait_ready, wait_ready, [] {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
  });
  SHOW(woken);
}

CASE(cond_timed) {
  pthread_mutex_lock(&m);
  timespec t = past(), bad{0, 2'000'000'000};
  ERROR(pthread_cond_timedwait(&c, &m, &t));
  ERROR(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &t));
  ERROR(pthread_cond_timedwait(&c, &m, &bad));
  pthread_mutex_unlock(&m);
  pthread_condattr_t a;
  pthread_condattr_init(&a);
  pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
  pthread_cond_t monotonic;
  pthread_cond_init(&monotonic, &a);
  pthread_mutex_lock(&m);
  const timespec before = in(CLOCK_MONOTONIC, 0);
  t = in(CLOCK_MONOTONIC, 20);
  ERROR(pthread_cond_timedwait(&monotonic, &m, &t));
  const timespec after = in(CLOCK_MONOTONIC, 0);
  SHOW((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >= 19);
  pthread_mutex_unlock(&m);
}

CASE(cond_recursive_mutex) {
  static std::recursive_mutex r;
  static std::condition_variable_any any;
  together(
      [] {
        std::unique_lock lock(r);
        any.wait(lock, [] { return ready != 0; });
        ++woken;
      },
      [] {
        std::lock_guard lock(r);
        ready = 1;
        any.notify_all();
      });
  SHOW(woken);
}

CASE(cond_robust_mutex) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  static pthread_mutex_t robust;
  pthread_mutex_init(&robust, &a);
  static int result;
  together(
      [] {
        pthread_mutex_lock(&robust);
        result = 0;
        while (!ready) result = pthread_cond_wait(&c, &robust);
        if (result == EOWNERDEAD) pthread_mutex_consistent(&robust);
        pthread_mutex_unlock(&robust);
      },
      [] {
        if (pthread_mutex_lock(&robust) == 0) {
          ready = 1;
          pthread_cond_signal(&c);
          pthread_mutex_unlock(&robust);
        }
      });
  SHOW(result);
}

CASE(cond_std) {
  static std::mutex s;
  static std::condition_variable v;
  int n = 0;
  bool full = false;
  together(
      [&] {
        for (int i = 0; i < 2; ++i) {
          std::unique_lock lock(s);
          v.wait(lock, [&] { return !full; });
          full = true;
          v.notify_one();
        }
      },
      [&] {
        for (int i = 0; i < 2; ++i) {
          std::unique_lock lock(s);
          v.wait(lock, [&] { return full; });
          full = false;
          ++n;
          v.notify_one();
        }
      });
  SHOW(n);
  std::unique_lock lock(s);
  SHOW(v.wait_for(lock, std::chrono::milliseconds(1)) == std::cv_status::timeout);
}
