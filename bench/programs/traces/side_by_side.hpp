// Programs whose number of Mazurkiewicz traces is known exactly. Plain pthreads and atomics, so that what is measured
// is the exploration and not what std::thread allocates.
#pragma once
#include <pthread.h>

#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>

inline constexpr int kMostThreads = 64;
using Body = void (*)(int);

// Runs bodies[0](0), bodies[1](1), ... at the same time and waits for all.
template <class BodyOf>
void side_by_side(int count, BodyOf body_of) {
  struct Start {
    Body body;
    int index;
  };
  std::array<Start, kMostThreads> starts{};
  std::array<pthread_t, kMostThreads> threads{};
  for (int i = 0; i < count; ++i) {
    starts[i] = {body_of(i), i};
    const auto enter = [](void* argument) -> void* {
      const auto* start = static_cast<const Start*>(argument);
      start->body(start->index);
      return nullptr;
    };
    pthread_create(&threads[i], nullptr, enter, &starts[i]);
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], nullptr);
}

inline void all_the_same(int count, Body body) {
  side_by_side(count, [body](int) { return body; });
}

inline int argument(int argc, char** argv, int index, int otherwise) {
  return argc > index ? std::atoi(argv[index]) : otherwise;
}
