// A deque that moves to a larger array while a thief holds the old one, three tasks.
#include "harness.hpp"
int main() {
  std::atomic<int> small[2] = {}, large[4] = {}, grown = 0, top = 0, bottom = 0, run[5] = {};
  auto at = [&](int i) -> std::atomic<int>& { return grown ? large[i % 4] : small[i % 2]; };
  together(
      [&] {
        for (int i = 1; i <= 4; ++i) {
          const int b = bottom, t = top;
          if (!grown && b - t >= 2) {
            grown = 1;  // before everything is moved
            for (int k = t; k < b; ++k) large[k % 4] = small[k % 2].load();
          }
          at(b) = i;
          bottom = b + 1;
        }
      },
      [&] {
        for (int k = 0; k < 3; ++k) {
          int t = top;
          if (t >= bottom) continue;
          const int x = at(t);
          if (top.compare_exchange_strong(t, t + 1)) {
            assert(x != 0);
            assert(run[x]++ == 0);
          }
        }
      },
      [&] {
        for (int k = 0; k < 2; ++k) {
          int t = top;
          if (t >= bottom) continue;
          const int x = at(t);
          if (top.compare_exchange_strong(t, t + 1)) {
            assert(x != 0);
            assert(run[x]++ == 0);
          }
        }
      });
}
