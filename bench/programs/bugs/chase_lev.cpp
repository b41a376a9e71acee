// The owner takes the last task without competing for it; two thieves.
#include "harness.hpp"
int main() {
  std::atomic<int> top = 0, bottom = 0, taken[4] = {}, tasks[4];
  auto push = [&](int x) {
    const int b = bottom;
    tasks[b] = x;
    bottom = b + 1;
  };
  auto pop = [&] {
    const int b = bottom - 1;
    bottom = b;
    int t = top;
    if (t > b) {
      bottom = b + 1;
      return -1;
    }
    const int x = tasks[b];
    if (t == b) {
      bottom = b + 1;
      top = t + 1;
    }
    return x;
  };
  auto steal = [&] {
    int t = top;
    const int b = bottom;
    if (t >= b) return -1;
    const int x = tasks[t];
    return top.compare_exchange_strong(t, t + 1) ? x : -1;
  };
  auto run = [&](int x) {
    if (x >= 0) assert(taken[x]++ == 0);
  };
  together(
      [&] {
        for (int i = 0; i < 3; ++i) push(i);
        for (int i = 0; i < 3; ++i) run(pop());
      },
      [&] { run(steal()); }, [&] { run(steal()); });
}
