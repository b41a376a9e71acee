// The same deque with plain indices: a thief that was held back writes an old top.
#include "harness.hpp"
int main() {
  constexpr int kItems = 4;
  int top = 0, bottom = kItems;
  std::mutex steals;
  std::atomic<int> taken[kItems] = {};
  auto use = [&](int item) { assert(taken[item].fetch_add(1) == 0); };
  together(
      [&] {
        for (int i = 0; i < 3; ++i) {
          const int b = bottom - 1;
          bottom = b;
          if (top <= b)
            use(b);
          else
            bottom = b + 1;
        }
      },
      [&] {
        for (int i = 0; i < 2; ++i) {
          std::lock_guard guard(steals);
          const int t = top;
          if (t < bottom) {
            top = t + 1;
            use(t);
          }
        }
      });
}
