// Small programs with one bug each, all atomics and locks, so that nothing depends on data races.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

#undef NDEBUG  // the assertions are the bugs
#include <cassert>

template <class... Bodies>
void together(Bodies... bodies) {
  std::thread threads[] = {std::thread(bodies)...};
  for (std::thread& t : threads) t.join();
}

template <class Body>
void together_n(int n, Body body) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) threads.emplace_back(body, i);
  for (std::thread& t : threads) t.join();
}

inline int number(int argc, char** argv, int otherwise) { return argc > 1 ? std::atoi(argv[1]) : otherwise; }
