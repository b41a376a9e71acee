// A queue lock that is given up without waiting for the successor to link itself: that one waits for ever.
#include "harness.hpp"
int main() {
  constexpr int kNone = -1;
  std::atomic<int> tail = kNone, next[3] = {kNone, kNone, kNone}, wait[3] = {};
  together_n(3, [&](int me) {
    for (int i = 0; i < 2; ++i) {
      next[me] = kNone;
      wait[me] = 1;
      const int before = tail.exchange(me);
      if (before != kNone) {
        next[before] = me;
        while (wait[me]) std::this_thread::yield();
      }
      if (next[me] != kNone) {
        wait[next[me]] = 0;
      } else {
        int mine = me;
        tail.compare_exchange_strong(mine, kNone);  // if not: somebody is about to link itself
      }
    }
  });
}
