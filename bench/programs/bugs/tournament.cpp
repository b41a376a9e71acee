// A tournament barrier of eight: the winner of the last round goes on without waiting for one of its losers.
#include "harness.hpp"
int main() {
  constexpr int kThreads = 8;
  std::atomic<int> arrived[kThreads] = {}, work[kThreads] = {}, go = 0;
  together_n(kThreads, [&](int me) {
    work[me] = 1;
    for (int round = 1; round < kThreads; round *= 2) {
      if (me % (2 * round)) {
        arrived[me] = 1;
        while (!go) std::this_thread::yield();
        return;
      }
      const int loser = me + round;
      if (loser != 5)
        while (!arrived[loser]) std::this_thread::yield();
    }
    for (auto& w : work) assert(w == 1);
    go = 1;
  });
}
