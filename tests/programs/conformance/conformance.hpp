// The suite's one rule: a case prints what it observed, and prints the same natively, under every schedule, on both
// backends, instrumented or not.
#pragma once
#undef NDEBUG
#include <pthread.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <thread>
#include <vector>

struct Case {
  const char* name;
  void (*run)();
  static inline std::vector<Case>& all() {
    static std::vector<Case> cases;
    return cases;
  }
  Case(const char* n, void (*r)()) : name(n), run(r) { all().push_back(*this); }
};
#define CASE(name)                                       \
  static void case_##name();                             \
  static const Case register_##name(#name, case_##name); \
  static void case_##name()

// "pthread_join(t, 0) = EINVAL", "n = 2"
#define SHOW(expression) show(#expression, static_cast<long>(expression))
void show(const char* text, long value);
#define ERROR(expression) show_error(#expression, expression)  // an error number
void show_error(const char* text, int error);
#define ERRNO(expression) show_error(#expression, (errno = 0, (expression) < 0) ? errno : 0)

template <class... F>
void together(F... body) {
  std::vector<std::thread> threads;
  (threads.emplace_back(body), ...);
  for (auto& t : threads) t.join();
}

// Deadlines: one that has passed, and one no schedule reaches.
timespec past();
timespec in(clockid_t clock, long milliseconds);

// A pthread whose body is a lambda without captures.
inline pthread_t start(void* (*body)(void*), void* argument = nullptr) {
  pthread_t t;
  assert(pthread_create(&t, nullptr, body, argument) == 0);
  return t;
}
