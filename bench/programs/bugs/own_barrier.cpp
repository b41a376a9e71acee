// A barrier of one's own without a generation: a fast thread enters the next phase before a slow one has left.
#include "harness.hpp"
int main() {
  constexpr int kThreads = 3;
  std::mutex m;
  std::condition_variable all;
  int arrived = 0;
  std::atomic<int> phase[kThreads] = {};
  auto wait = [&] {
    std::unique_lock g(m);
    if (++arrived == kThreads) {
      arrived = 0;
      all.notify_all();
    } else {
      while (arrived != 0) all.wait(g);
    }
  };
  together_n(kThreads, [&](int me) {
    for (int p = 1; p <= 2; ++p) {
      phase[me] = p;
      wait();
    }
  });
}
