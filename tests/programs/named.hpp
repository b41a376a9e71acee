// Several small programs in one, chosen by name: `list` prints the names, without a word all are run.
#pragma once
#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

template <class... F>
void together(F... body) {
  std::vector<std::thread> threads;
  (threads.emplace_back(body), ...);
  for (auto& t : threads) t.join();
}

// body(0), body(1), ...
template <class F>
void many(int n, F body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) threads.emplace_back(body, i);
  for (auto& t : threads) t.join();
}

struct Named {
  const char* name;
  void (*run)();
};
#define NAMED(f) \
  { #f, f }

template <size_t kCount>
int run_named(const Named (&all)[kCount], int argc, char** argv) {
  const bool list = argc > 1 && std::strcmp(argv[1], "list") == 0;
  for (const Named& program : all) {
    if (list) {
      std::puts(program.name);
    } else if (argc < 2 || std::strcmp(argv[1], program.name) == 0) {
      program.run();
      if (argc > 1) return 0;
    }
  }
  return argc > 1 && !list ? 2 : 0;
}
