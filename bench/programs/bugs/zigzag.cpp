// Fails only if two threads take turns step by step: as many preemptions as there are rounds.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int rounds = number(argc, argv, 3);
  std::atomic<int> x = 0, hits = 0;
  together(
      [&] {
        for (int i = 0; i < rounds; ++i) x = 2 * i + 1;
      },
      [&] {
        for (int i = 0; i < rounds; ++i)
          if (x == 2 * i + 1) ++hits;
      });
  assert(hits < rounds);
}
