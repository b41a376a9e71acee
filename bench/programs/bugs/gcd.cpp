// Two threads take turns at Euclid's algorithm; a third one makes it start over, but not in one step.
#include "harness.hpp"
int main() {
  std::atomic<int> a = 12, b = 18;
  auto step = [&](std::atomic<int>& mine, std::atomic<int>& other) {
    for (int i = 0; i < 12 && mine != other; ++i)
      if (mine > other) mine = mine - other;
  };
  together([&] { step(a, b); }, [&] { step(b, a); },
           [&] {
             a = 24;
             b = 36;
           });
  assert(a > 0 && b > 0);
}
