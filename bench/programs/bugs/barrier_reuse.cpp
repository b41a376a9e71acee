// A home-made barrier that is used twice: who is quick enters the second round before the slow ones have left the
// first.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int n = number(argc, argv, 3);
  std::mutex m;
  std::condition_variable all;
  int arrived = 0;
  std::atomic<int> phase[2] = {};
  auto meet = [&] {
    std::unique_lock lock(m);
    if (++arrived == n) {
      all.notify_all();
      arrived = 0;
    } else {
      while (arrived != 0) all.wait(lock);
    }
  };
  together_n(n, [&](int) {
    for (auto& p : phase) {
      ++p;
      meet();
      assert(p == n);
    }
  });
}
