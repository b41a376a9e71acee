// What the tables of racy programs and their race-free twins share. A program marks the two lines of its race with
// FIRST and SECOND; `races list` prints name, verdict and those lines, which the test compares with what is found.
#pragma once
#undef NDEBUG
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

struct Case {
  const char* name;
  bool racy;
  void (*body)();
  int first, second;  // lines, when racy
};
#define FINE(f) \
  { #f, false, f, 0, 0 }
#define RACY(f, a, b) \
  { #f, true, f, a, b }

template <class... F>
void together(F... body) {
  std::vector<std::thread> threads;
  threads.reserve(sizeof...(F));
  (threads.emplace_back(body), ...);
  for (auto& t : threads) t.join();
}

inline int run_case(const Case* cases, int count, int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "list";
  for (int i = 0; i < count; ++i) {
    if (wanted == "list")
      std::printf("%s %s %d %d\n", cases[i].name, cases[i].racy ? "racy" : "fine", cases[i].first, cases[i].second);
    else if (wanted == cases[i].name)
      return cases[i].body(), 0;
  }
  return wanted == "list" ? 0 : 2;
}
