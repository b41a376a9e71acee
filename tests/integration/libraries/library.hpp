// A program with a library: run without arguments it uses it correctly, with one it does not.
#pragma once
#undef NDEBUG
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

void correct();
void misused();

template <class... F>
void together(F... body) {
  std::vector<std::thread> threads;
  (threads.emplace_back(body), ...);
  for (auto& t : threads) t.join();
}

int main(int argc, char**) {
  argc == 1 ? correct() : misused();
  return 0;
}
