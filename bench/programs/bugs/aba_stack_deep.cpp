// A lock-free stack of five nodes: one popper sleeps between reading and swapping while the other pops two and pushes
// one back.
#include "harness.hpp"
int main() {
  std::atomic<int> top = 0, next[5] = {1, 2, 3, 4, -1}, in_use[5] = {};
  auto pop = [&] {
    int n = top;
    while (n != -1 && !top.compare_exchange_strong(n, next[n])) {
    }
    if (n != -1) assert(in_use[n].exchange(1) == 0);
    return n;
  };
  auto push = [&](int n) {
    in_use[n] = 0;
    int old = top;
    do next[n] = old;
    while (!top.compare_exchange_strong(old, n));
  };
  together(
      [&] {
        const int a = pop();
        const int b = pop();
        (void)b;
        if (a >= 0) push(a);
        pop();
      },
      [&] {
        const int a = pop();
        const int b = pop();
        (void)b;
        if (a >= 0) push(a);
        pop();
      });
}
